const items = Array.from({ length: 50 }, (_, i) => ({ k: i % 3, i }));
items.sort((a, b) => a.k - b.k).every((x, i, a) => !i || a[i - 1].k < x.k || a[i - 1].i < x.i)
// --- cell
[[1, 10, 2, undefined, 3].sort(), [true, false].sort(), [[2], [10], [1]].sort(), ['é', 'z', 'a', 'Z'].sort(), [3, 1, 2].sort(() => 0), [-1, -2, 0].sort()]
// --- cell
[1, 2].sort('not a function')
// --- cell
let n = 0; try { [2, 1, 3].sort(() => { if (n++ > 0) throw new Error('comparator'); return 1 }) } catch (e) { e.message }
