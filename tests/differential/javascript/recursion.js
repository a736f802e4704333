const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)), fact = (n) => (n <= 1n ? 1n : n * fact(n - 1n));
[fib(15), fact(25n)]
// --- cell
const flatten = (a) => a.reduce((r, x) => r.concat(Array.isArray(x) ? flatten(x) : x), []), perms = (s) => s.length < 2 ? [s] : [...s].flatMap((c, i) => perms(s.slice(0, i) + s.slice(i + 1)).map((p) => c + p));
[flatten([1, [2, [3, [4]]]]), perms('abc')]
// --- cell
(function loop() { return loop() })()
// --- cell
try { (function r() { r() })() } catch (e) { e instanceof RangeError }
// --- cell
const even = (n) => n === 0 || odd(n - 1), odd = (n) => n !== 0 && even(n - 1); even(100)
