const o = { a: { f() { return this.v }, v: 7, arr: [1] }, nul: null };
[o.a?.f(), o.b?.f(), o.nul?.x.y.z, o.a.g?.(), o.a?.arr?.[0], o?.['a'].v, delete o?.a?.v, o.a.v, (o.b)?.c]
// --- cell
let n = 0; undefined?.[n++]; null?.f(n++); n
// --- cell
o.nul.x
// --- cell
o.a.arr?.push?.(2), o.a.arr
