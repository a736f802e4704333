const eq = (a, b) => Object.is(a, b) || (a && b && typeof a === 'object' && typeof b === 'object' && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((k) => eq(a[k], b[k])));
[eq({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), eq([1], [1, 2]), eq(NaN, NaN), eq(null, {})]
// --- cell
const merge = (a, b) => { const o = { ...a }; for (const [k, v] of Object.entries(b)) o[k] = v && typeof v === 'object' && !Array.isArray(v) ? merge(o[k] ?? {}, v) : v; return o };
merge({ a: { x: 1, y: 2 }, l: [1] }, { a: { y: 3, z: { w: 4 } }, l: [2] })
// --- cell
const get = (o, p, d) => p.split(/[.[\]]+/).filter(Boolean).reduce((x, k) => x?.[k], o) ?? d;
[get({ a: [{ b: 5 }] }, 'a[0].b'), get({}, 'x.y', 'dflt')]
// --- cell
const diff = (a, b) => Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].filter((k) => a[k] !== b[k]).map((k) => [k, [a[k], b[k]]]));
diff({ a: 1, b: 2 }, { b: 3, c: 4 })
