const o = { a: 1, get b() { return 2 } };
[delete o.a, delete o.zzz, 'b' in o, delete o.b, 'b' in o, delete [1, 2][0], 0 in [1], 1 in [1], 'length' in []]
// --- cell
var viaVar = 1; [delete globalThis.viaVar, typeof viaVar]
// --- cell
'use strict'; delete Object.freeze({ x: 1 }).x
// --- cell
'x' in 'string'
// --- cell
const a = [1, 2, 3]; delete a[1]; [a, a.length, a.indexOf(undefined), a.includes(undefined), a.findIndex((x) => x === undefined)]
