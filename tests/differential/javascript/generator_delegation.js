function* a() { const r = yield* b(); yield r } function* b() { yield 1; return 'b-ret' }
[[...a()], [...(function* () { yield* 'ab'; yield* [1]; yield* new Set([2]) })()]]
// --- cell
function* tree(n) { if (n) { yield* tree(n.l); yield n.v; yield* tree(n.r) } }
[...tree({ v: 2, l: { v: 1 }, r: { v: 3 } })]
// --- cell
const take = function* (n, it) { for (const x of it) { if (n-- <= 0) return; yield x } }, map = function* (f, it) { for (const x of it) yield f(x) }, nat = function* () { for (let i = 0; ; i++) yield i };
[...take(4, map((x) => x * x, nat()))]
// --- cell
const g = (function* () { g.next() })(); g.next()
// --- cell
const o = { *[Symbol.iterator]() { yield* Object.values(this) }, x: 1, y: 2 }; [...o]
