const src = { d: new Date(5), r: /x/g, m: new Map([['k', { deep: [1] }]]), s: new Set([1]), a: new Uint8Array([1]), n: null, u: undefined, e: new RangeError('re'), big: 1n, sparse: [1, , 3] };
src.self = src;
const c = structuredClone(src);
[c !== src, c.self === c, c.m.get('k').deep, c.d.getTime(), c.r.flags, c.e instanceof RangeError, c.e.message, c.a, 1 in c.sparse, c.big]
// --- cell
structuredClone({ f() {} })
// --- cell
structuredClone(Symbol('x'))
// --- cell
class P { x = 1; get y() { return 2 } } const k = structuredClone(new P()); [k, k instanceof P, k.y]
