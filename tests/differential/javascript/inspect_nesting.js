const deep = { a: { b: { c: { d: { e: 1 } } } } };
deep
// --- cell
[[[[[1]]]]]
// --- cell
console.log(deep, [[[{}]]], [[[[]]]], { x: { y: { z: {} } } })
// --- cell
new Map([[{ k: { k2: { k3: 1 } } }, [[[[0]]]]]])
// --- cell
[undefined, null, NaN, -0, 1n, Symbol('s'), () => {}, class {}, function named() {}, async () => {}, function* g() {}, async function* ag() {}]
