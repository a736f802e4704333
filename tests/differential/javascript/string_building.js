let out = []; for (let i = 1; i <= 15; i++) out.push(i % 15 ? i % 5 ? i % 3 ? i : 'Fizz' : 'Buzz' : 'FizzBuzz'); out.join(' ')
// --- cell
const tree = (n, p = '') => Object.entries(n).map(([k, v], i, a) => { const last = i === a.length - 1; return `${p}${last ? '└─' : '├─'} ${k}\n${tree(v, p + (last ? '   ' : '│  '))}` }).join('');
console.log(tree({ a: { b: {}, c: { d: {} } }, e: {} }))
// --- cell
const pad = (rows) => { const w = rows[0].map((_, c) => Math.max(...rows.map((r) => `${r[c]}`.length))); return rows.map((r) => r.map((x, c) => typeof x === 'number' ? `${x}`.padStart(w[c]) : x.padEnd(w[c])).join(' | ')).join('\n') };
console.log(pad([['name', 'n'], ['apple', 5], ['fig', 1234]]))
// --- cell
const wrap = (t, n) => t.split(' ').reduce((ls, w) => ((ls.at(-1) + ' ' + w).trim().length > n ? [...ls, w] : [...ls.slice(0, -1), (ls.at(-1) + ' ' + w).trim()]), ['']); wrap('The quick brown fox jumps over the lazy dog', 12)
