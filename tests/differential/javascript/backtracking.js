const queens = (n, row = 0, c = new Set(), d = new Set(), e = new Set()) => { if (row === n) return 1; let s = 0; for (let i = 0; i < n; i++) if (!c.has(i) && !d.has(row - i) && !e.has(row + i)) { c.add(i); d.add(row - i); e.add(row + i); s += queens(n, row + 1, c, d, e); c.delete(i); d.delete(row - i); e.delete(row + i) } return s };
[1, 4, 5, 6].map((n) => queens(n))
// --- cell
const subsets = (a) => a.length ? subsets(a.slice(1)).flatMap((s) => [s, [a[0], ...s]]) : [[]]; subsets([1, 2, 3])
// --- cell
const hanoi = (n, a, b, c) => n ? [...hanoi(n - 1, a, c, b), `${a}${c}`, ...hanoi(n - 1, b, a, c)] : []; hanoi(3, 'A', 'B', 'C').join(' ')
// --- cell
const solve = (g) => { for (let i = 0; i < g.length; i++) if (!g[i]) { for (let v = 1; v <= 4; v++) { const r = i >> 2, c = i % 4; if (![0, 1, 2, 3].some((k) => g[r * 4 + k] === v || g[k * 4 + c] === v || g[((r >> 1) * 2 + (k >> 1)) * 4 + (c >> 1) * 2 + (k & 1)] === v)) { g[i] = v; if (solve(g)) return g; g[i] = 0 } } return null } return g };
solve([1, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 4])?.join('')
