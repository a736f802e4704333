const k = 'key', v = 1;
({ k, v, [k]: 2, [`${k}2`]() { return 3 }, 1.5: 'num', 0x10: 'hex', get [k + 'G']() { return 4 }, async: 5, get: 6, set: 7, static: 8, await: 9, new: 10, class: 11 })
// --- cell
const o = { a: 1, ['a']: 2, a: 3 }; o
// --- cell
({ __proto__: null, x: 1 }) instanceof Object
// --- cell
const __proto__ = { p: 1 }; Object.keys({ __proto__ })
