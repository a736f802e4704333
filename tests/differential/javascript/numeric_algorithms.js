const newton = (f, d, x) => { for (let i = 0; i < 50; i++) x -= f(x) / d(x); return x }; newton((x) => x * x - 2, (x) => 2 * x, 1)
// --- cell
const mean = (a) => a.reduce((s, x) => s + x) / a.length, sd = (a) => Math.sqrt(mean(a.map((x) => (x - mean(a)) ** 2))), median = (a) => { const s = a.toSorted((x, y) => x - y), m = s.length >> 1; return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2 };
[mean([1, 2, 3, 4]), sd([2, 4, 4, 4, 5, 5, 7, 9]), median([3, 1, 2]), median([4, 1, 2, 3])]
// --- cell
const base = (n, b) => n < b ? `${n}` : base(Math.floor(n / b), b) + (n % b), roman = (n) => Object.entries({ M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 }).reduce((s, [r, v]) => { while (n >= v) { s += r; n -= v } return s }, '');
[base(255, 2), base(100, 7), roman(1994), roman(3999)]
// --- cell
const collatz = (n, c = 0) => n === 1 ? c : collatz(n % 2 ? 3 * n + 1 : n / 2, c + 1); [collatz(27), [6, 7, 9].map((n) => collatz(n))]
// --- cell
let pi = 0; for (let k = 0; k < 1000; k++) pi += (k % 2 ? -4 : 4) / (2 * k + 1); pi.toFixed(6)
