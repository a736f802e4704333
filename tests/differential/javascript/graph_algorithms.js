const graph = { a: { b: 4, c: 1 }, b: { d: 1 }, c: { b: 2, d: 5 }, d: {} };
const dist = (() => { const d = { a: 0 }, todo = new Set(Object.keys(graph)); while (todo.size) { const u = [...todo].reduce((m, x) => (d[x] ?? Infinity) < (d[m] ?? Infinity) ? x : m); todo.delete(u); for (const [v, w] of Object.entries(graph[u])) d[v] = Math.min(d[v] ?? Infinity, d[u] + w) } return d })();
dist
// --- cell
const topo = (deps) => { const out = [], seen = new Set(); const visit = (n, path = []) => { if (path.includes(n)) throw new Error(`cycle: ${[...path, n].join(' -> ')}`); if (seen.has(n)) return; for (const d of deps[n] ?? []) visit(d, [...path, n]); seen.add(n); out.push(n) }; Object.keys(deps).forEach((n) => visit(n)); return out };
topo({ shirt: ['tie'], tie: ['jacket'], jacket: [], shoes: ['socks'] })
// --- cell
topo({ a: ['b'], b: ['a'] })
// --- cell
const life = (cells) => { const n = {}; for (const c of cells) { const [x, y] = c.split(',').map(Number); for (let i = -1; i < 2; i++) for (let j = -1; j < 2; j++) if (i || j) n[`${x + i},${y + j}`] = (n[`${x + i},${y + j}`] ?? 0) + 1 } return new Set(Object.keys(n).filter((k) => n[k] === 3 || (n[k] === 2 && cells.has(k)))) };
life(new Set(['0,1', '1,1', '2,1']))
