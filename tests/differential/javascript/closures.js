const makers = [];
for (let i = 0; i < 3; i++) makers.push(() => i);
var shared = [];
for (var j = 0; j < 3; j++) shared.push(() => j);
[makers.map((f) => f()), shared.map((f) => f())]
// --- cell
const counter = (() => { let n = 0; return { up: () => ++n, get n() { return n } } })();
counter.up(); counter.up();
counter
// --- cell
counter.n
// --- cell
const curry = (f) => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b) };
curry((a, b, c) => a + b + c)(1)(2, 3)
