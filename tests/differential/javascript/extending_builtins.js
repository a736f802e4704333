class Stack extends Array { peek() { return this.at(-1) } static get [Symbol.species]() { return Array } }
const s = Stack.from([1, 2]); s.push(3);
[s, s.peek(), s.length, s.map((x) => x) instanceof Stack, Array.isArray(s), JSON.stringify(s)]
// --- cell
class Default extends Map { get(k) { if (!this.has(k)) this.set(k, []); return super.get(k) } }
const d = new Default(); d.get('a').push(1); d
// --- cell
class NotFound extends Error { constructor(what) { super(`${what} not found`); this.what = what } get name() { return 'NotFound' } }
[new NotFound('x') instanceof NotFound, String(new NotFound('y')), new NotFound('z').what]
// --- cell
class Fn extends Function { constructor() { super('a', 'return a + 1') } }
new Fn()(2)
// --- cell
class Num extends Number { double() { return this * 2 } } [new Num(4).double(), new Num(5), `${new Num(6)}`]
