const o = { b: 1, a: 2, 1: 'one', [Symbol.iterator]: null, 'with space': 3, nested: { deep: { deeper: { deepest: 1 } } } };
o
// --- cell
[Object.keys(o), Object.entries({ x: 1 }), Object.fromEntries([['k', 'v']]), Object.assign({}, { a: 1 }, null, { b: 2 }), { ...{ a: 1 }, ...[9], ...'hi' }]
// --- cell
const frozen = Object.freeze({ x: 1, inner: {} });
frozen.x = 2; frozen.inner.y = 1;
[frozen, Object.isFrozen(frozen), Object.isSealed(Object.seal({})), delete frozen.x]
// --- cell
const key = 'dyn';
[{ [key + 1]: 1, key, m() {}, async am() {}, *g() {}, get p() { return 1 } }, 'a' in o, delete o.a, 'a' in o, o?.missing?.deep, o.missing?.(), o.nested?.['deep']]
// --- cell
[Object.entries('ab'), Object.getOwnPropertyNames('ab'), Object.is(o, o), Object.groupBy ? 'has' : 'has', structuredClone({ d: new Date(0), m: new Map([[1, { x: 1 }]]) })]
// --- cell
'use strict'; Object.freeze([1]).push(2)
// --- cell
Object.defineProperty({}, 'x', { get() { return 1 }, value: 2 })
