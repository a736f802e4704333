function* gen() {
  try {
    const got = yield 1;
    console.log('got', got);
    yield* [2, 3];
    return 'end';
  } finally { console.log('cleanup') }
}
const g = gen();
[g.next(), g.next('hello'), g.next(), g.next(), g.next()]
// --- cell
[...gen()]
// --- cell
for (const x of gen()) { if (x === 1) break }
// --- cell
const h = gen(); h.next();
try { h.throw(new Error('inside')) } catch (e) { e.message }
// --- cell
const i = gen(); i.next(); i.return('early')
// --- cell
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b] } }
const first = []; for (const n of fib()) { if (n > 50) break; first.push(n) } first
// --- cell
g
