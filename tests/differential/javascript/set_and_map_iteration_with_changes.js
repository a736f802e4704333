const m = new Map([[1, 'a'], [2, 'b'], [3, 'c']]); const seen = [];
for (const [k] of m) { seen.push(k); if (k === 1) { m.delete(2); m.set(4, 'd') } } seen
// --- cell
const s = new Set([1, 2, 3]); const out = []; s.forEach((x) => { out.push(x); s.delete(x); if (x < 3) s.add(x + 10) }); [out, [...s]]
// --- cell
const it = m.entries(); m.clear(); [it.next(), m.size]
// --- cell
[new Map([[NaN, 1]]).get(NaN), new Map([[0, 'z']]).get(-0), [...new Set([-0])].map((x) => Object.is(x, 0)), new Map([['1', 'str'], [1, 'num']]).size]
