const m = new Map([['a', 1], [NaN, 'nan'], [{ k: 1 }, [2]]]);
m.set('b', 2).delete('a');
[m, m.get(NaN), m.size, [...m.keys()], m.has('a')]
// --- cell
const s = new Set([1, '1', 1, NaN, NaN, [1]]);
s.add({ x: { y: { z: 1 } } });
[s, s.size, s.has('1'), [...s].length]
// --- cell
m
// --- cell
s
// --- cell
[m.entries(), s.values(), new Map([[0, 1]]).keys(), new Map([[1, new Map([[2, new Map([[3, new Map()]])]])]])]
// --- cell
const order = new Map([['z', 1], ['y', 2]]); order.set('z', 9); order.delete('y'); order.set('y', 3);
[...order].flat()
// --- cell
const visited = []; const grow = new Set([1]); for (const x of grow) { visited.push(x); if (x < 4) grow.add(x + 1) } visited
// --- cell
const k = {}; const w = new WeakMap([[k, 'v']]); [w.get(k), w.has({}), w, new WeakSet([k]).has(k), new WeakRef(k).deref() === k]
// --- cell
new WeakMap().set(1, 2)
// --- cell
Map([[1, 2]])
