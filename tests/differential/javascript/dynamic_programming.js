const lcs = (a, b) => { const t = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill('')); for (let i = 0; i < a.length; i++) for (let j = 0; j < b.length; j++) t[i + 1][j + 1] = a[i] === b[j] ? t[i][j] + a[i] : t[i][j + 1].length >= t[i + 1][j].length ? t[i][j + 1] : t[i + 1][j]; return t.at(-1).at(-1) };
lcs('AGGTAB', 'GXTXAYB')
// --- cell
const coins = (total, cs) => { const ways = [1, ...Array(total).fill(0)]; for (const c of cs) for (let i = c; i <= total; i++) ways[i] += ways[i - c]; return ways[total] };
[coins(100, [1, 5, 10, 25, 50]), coins(5, [2])]
// --- cell
const edit = (a, b) => [...a].reduce((row, ca, i) => [...b].reduce((next, cb, j) => [...next, Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (ca !== cb))], [i + 1]), [...Array(b.length + 1).keys()])[b.length];
[edit('kitten', 'sitting'), edit('', 'abc')]
