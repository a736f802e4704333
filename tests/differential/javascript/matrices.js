const mul = (a, b) => a.map((r) => b[0].map((_, j) => r.reduce((s, x, k) => s + x * b[k][j], 0))), T = (m) => m[0].map((_, i) => m.map((r) => r[i]));
const m = [[1, 2], [3, 4]];
[mul(m, m), T([[1, 2, 3], [4, 5, 6]]), m.map((r) => [...r].reverse())]
// --- cell
const det = (a) => a.length === 1 ? a[0][0] : a[0].reduce((s, x, j) => s + (j % 2 ? -1 : 1) * x * det(a.slice(1).map((r) => r.filter((_, k) => k !== j))), 0);
[det([[2, 1, 3], [0, -1, 4], [1, 2, 5]]), det(m)]
// --- cell
Array.from({ length: 5 }, (_, i) => Array.from({ length: i + 1 }, (_, j) => { let c = 1; for (let k = 0; k < j; k++) c = c * (i - k) / (k + 1); return c }))
