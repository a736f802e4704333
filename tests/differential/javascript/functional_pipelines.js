const people = [{ n: 'Ann', age: 30, t: ['a', 'b'] }, { n: 'Bob', age: 25, t: [] }, { n: 'Cy', age: 30, t: ['b'] }];
const groupBy = (xs, f) => xs.reduce((m, x) => ((m[f(x)] ??= []).push(x.n), m), {});
[groupBy(people, (p) => p.age), people.flatMap((p) => p.t).filter((x, i, a) => a.indexOf(x) === i), people.map(({ n, ...r }) => r.age).reduce((a, b) => a + b) / people.length]
// --- cell
const pipe = (...f) => (x) => f.reduce((v, g) => g(v), x), tap = (f) => (x) => (f(x), x);
pipe((x) => x + 1, tap(console.log), (x) => x * 2)(4)
// --- cell
const zip = (...as) => as[0].map((_, i) => as.map((a) => a[i])), range = (n) => [...Array(n).keys()], chunk = (a, n) => a.length ? [a.slice(0, n), ...chunk(a.slice(n), n)] : [];
[zip([1, 2], ['a', 'b']), range(4), chunk(range(7), 3)]
// --- cell
const debounceLog = []; const once = (f) => { let done, v; return (...a) => done ? v : (done = true, v = f(...a)) }; const init = once((x) => (debounceLog.push(x), x)); [init(1), init(2), debounceLog]
