[new Date(86400000), new Date(NaN), /re/g, new Number(3), new String('abc'), new Boolean(false), Object(1n), Object(Symbol('x'))]
// --- cell
[new Uint8Array([1, 2]), new Float64Array(2), new ArrayBuffer(4), new DataView(new ArrayBuffer(2)), new BigInt64Array(1)]
// --- cell
[Promise.resolve(1), Promise.reject(2).catch(() => {}) && 3, new Promise(() => {}), (async () => 5)()]
// --- cell
[globalThis === this, Math, JSON, Reflect, Symbol.iterator, function* () {}.constructor.name]
// --- cell
(function () { return arguments })(1, 'two')
// --- cell
[new Proxy({ a: 1 }, {}), new Proxy(function f() {}, {}), new Proxy([1, 2], {})]
// --- cell
Object.assign(new String('s'), { extra: 1 })
