const o = {
  _v: 1,
  get v() { return this._v }, set v(n) { this._v = n * 2 },
  get only() { return 1 }, set write(x) {},
};
o.v = 5;
[o.v, o]
// --- cell
Object.defineProperty(o, 'hidden', { value: 'h', enumerable: false });
[o.hidden, Object.keys(o), JSON.stringify(o)]
// --- cell
Object.getOwnPropertyDescriptor(o, 'v')
// --- cell
'use strict';
o.only = 2
// --- cell
class T { static get x() { return 'static' } get [`comp${1 + 1}`]() { return 'computed' } }
[T.x, new T().comp2]
