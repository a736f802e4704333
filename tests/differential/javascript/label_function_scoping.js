{ function f() { return 1 } console.log(f()) }
f()
// --- cell
if (true) { var leaked = 'var leaks'; let kept = 'let stays' } [leaked, typeof kept]
// --- cell
for (var i = 0, fs = []; i < 2; i++) { let j = i; fs.push(() => [i, j]) } fs.map((f) => f())
// --- cell
try { throw 'e' } catch (e) { var e2 = e; let inner = 1 } [e2, typeof inner, typeof e]
// --- cell
switch (1) { case 1: let scoped = 's'; console.log(scoped) } typeof scoped
// --- cell
(function () { x = 5; var x; return x })() + (function () { return typeof y; let z })()
