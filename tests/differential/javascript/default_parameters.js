let calls = 0; const next = () => ++calls;
const f = (a = next(), b = a * 2, { c = b, d } = {}) => [a, b, c, d];
[f(), f(10), f(undefined, null), f(1, 2, { d: 4 }), calls]
// --- cell
const g = (x = y, y = 1) => x; g()
// --- cell
function h(a, b = () => a) { var a = 'inner'; return [a, b()] } h('outer')
// --- cell
[((a, b = 1, c) => {}).length, ((...r) => {}).length, f.length]
