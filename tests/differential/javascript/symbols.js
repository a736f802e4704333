const s = Symbol('desc');
const o = { [s]: 1, plain: 2 };
[o, s.description, Object.getOwnPropertySymbols(o), String(s), Symbol.for('x') === Symbol.for('x'), Symbol.keyFor(Symbol.for('x'))]
// --- cell
class Temp {
  constructor(c) { this.c = c }
  [Symbol.toPrimitive](hint) { return hint === 'string' ? `${this.c}C` : this.c }
  get [Symbol.toStringTag]() { return 'Temperature' }
}
const t = new Temp(20);
[`${t}`, t + 1, t * 2, Object.prototype.toString.call(t)]
// --- cell
t
// --- cell
s + ''
// --- cell
[[1, [2]], Object.assign([3, 4], { [Symbol.isConcatSpreadable]: false })].reduce((a, b) => a.concat(b), [])
