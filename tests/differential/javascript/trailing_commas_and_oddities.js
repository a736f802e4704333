[[1, 2, ].length, [, , ].length, ((a, b, ) => a)(1, 2, ), { a: 1, }.a, Math.max(1, 2, )]
// --- cell
0, 1, 2
// --- cell
;;;
// --- cell
;[1].length
// --- cell
{ } [] + {}
// --- cell
((a) => (b) => (c) => a + b + c)(1)(2)(3), (() => ({}))(), (() => {})(), !function () { return 0 }()
// --- cell
let yield_ = 1, async = 2, of = 3, get = 4; [yield_, async, of, get]
// --- cell
async
// --- cell
x: 5
// --- cell
void 'gone'
// --- cell
new Date(0).getTime
