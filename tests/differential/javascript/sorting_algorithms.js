const quick = ([p, ...r]) => p === undefined ? [] : [...quick(r.filter((x) => x < p)), p, ...quick(r.filter((x) => x >= p))];
function merge(a) { if (a.length < 2) return a; const m = a.length >> 1, l = merge(a.slice(0, m)), r = merge(a.slice(m)), o = []; while (l.length && r.length) o.push(l[0] <= r[0] ? l.shift() : r.shift()); return [...o, ...l, ...r] }
const data = Array.from({ length: 20 }, (_, i) => (i * 7919) % 101);
[quick(data), merge(data).join() === quick(data).join(), data.toSorted((a, b) => b - a)[0]]
// --- cell
const people = [{ n: 'b', a: 2 }, { n: 'a', a: 2 }, { n: 'c', a: 1 }];
people.sort((x, y) => x.a - y.a || x.n.localeCompare(y.n))
// --- cell
[...'hello'].sort().join(''), ['B', 'a', 'C'].sort(), ['b10', 'b9', 'a1'].sort((x, y) => x.slice(1) - y.slice(1))
