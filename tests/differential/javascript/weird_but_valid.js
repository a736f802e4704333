var a = [1, 2, 3], b = a
[0], c = b
;[b, c]
// --- cell
((...[x, ...y]) => [x, y])(1, 2, 3)
// --- cell
let let_ = 1; var of = [2]; for (of of of) console.log(of)
// --- cell
!function () { return true }(), +function () { return 5 }(), void function () {}()
// --- cell
a?.[0] ?. toString ?. ()
// --- cell
({ async: 1, await: 2, get: 3, set: 4, static: 5, of: 6 }).await
// --- cell
x => x, (y) => ({ y }), async z => z
// --- cell
if (1) ; else 2
// --- cell
for (;;) { break } 'after loop'
// --- cell
(function () { try { return 'a' } finally { console.log('f') } })()
// --- cell
((a, b = a, [c, d] = [b, b + 1]) => [a, b, c, d])(1)
// --- cell
typeof typeof 1, void 0 ?? 'n', - -1, + +'2', !!!0
