const log = [];
const p = new Proxy({ a: 1 }, {
  get(t, k, r) { log.push(`get ${String(k)}`); return Reflect.get(t, k, r) ?? 'default' },
  has(t, k) { log.push(`has ${k}`); return k.startsWith('x') },
  set(t, k, v) { log.push(`set ${k}`); t[k] = v * 2; return true },
  deleteProperty(t, k) { log.push(`delete ${k}`); return delete t[k] },
  ownKeys() { return ['a', 'z'] },
  getOwnPropertyDescriptor(t, k) { return { value: t[k], enumerable: true, configurable: true } },
});
p.b = 4;
[p.a, p.b, p.missing, 'xyz' in p, 'a' in p, delete p.a, Object.keys(p), log]
// --- cell
const fn = new Proxy(function (x) { return x }, { apply: (t, th, args) => args.length, construct: (t, args) => ({ made: args }) });
[fn(1, 2), new fn('n')]
// --- cell
[Reflect.ownKeys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol('s')]: 1 }), Reflect.has({ x: 1 }, 'x'), Reflect.apply(Math.max, null, [1, 5]), Reflect.construct(Date, [0]).getTime(), Reflect.getPrototypeOf([]) === Array.prototype]
// --- cell
const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy.x
// --- cell
'use strict'; new Proxy({}, { set: () => false }).x = 1
// --- cell
[Reflect.set(Object.freeze({ a: 1 }), 'a', 2), Reflect.defineProperty({}, 'x', { value: 1 }), Reflect.isExtensible(Object.preventExtensions({}))]
