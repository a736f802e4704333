[null ?? 'd', 0 ?? 'd', 0 || 'd', '' && 'x', !!'0', typeof null, typeof undefined, void 0, (1, 2), 1 + '2', '3' - 1, '3' * '4', [] == false, null == undefined, null == 0, NaN != NaN]
// --- cell
let a = null, b = 0, c = 1;
a ??= 'set'; b ||= 'or'; c &&= 'and';
[a, b, c]
// --- cell
let i = 5; [i++, i, ++i, i--, --i, i **= 2, i %= 7, i <<= 2, i >>>= 1, -i, +'', +[], +{}]
// --- cell
[1 < 2 < 3, 3 > 2 > 1, '2' > '12', 2 > '12', 'b' > 'a', null >= 0, undefined == 0, [2] > 1, {} + '', true + true]
// --- cell
const o = { a: { b: null } }; [o?.a?.b?.c, o.x?.[0], o.f?.(1), o.a?.b ?? 'n', delete o.a, 'a' in o, o instanceof Object, typeof o]
// --- cell
-2 ** 2
// --- cell
a ?? b || c
// --- cell
((x) => x ? 'truthy' : 'falsy')(new Boolean(false))
