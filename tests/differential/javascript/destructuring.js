const { a, b: { c = 'default', d } = {}, ...rest } = { a: 1, b: { d: 4 }, e: 5, f: 6 };
[a, c, d, rest]
// --- cell
const [x, , y = 3, ...zs] = [1, 2, undefined, 4, 5];
[x, y, zs]
// --- cell
let p, q;
[p, q] = [1, 2]; [p, q] = [q, p];
({ p, ['q']: q } = { p: 'P', q: 'Q' });
[p, q]
// --- cell
(({ length }, [first], { deep: [{ v }] }) => [length, first, v])('abc', 'xyz', { deep: [{ v: 9 }] })
// --- cell
for (const [k, v] of Object.entries({ m: 1, n: 2 })) console.log(k, v);
const f = ({ z = 1, w = z + 1 } = {}) => [z, w];
[f(), f({ z: 5 })]
// --- cell
const { nothing } = null;
