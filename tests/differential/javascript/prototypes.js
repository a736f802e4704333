function Old(n) { this.n = n }
Old.prototype.twice = function () { return this.n * 2 };
const o = new Old(4);
[o, o.twice(), o.constructor.name, Object.keys(o), 'twice' in o, Object.hasOwn(o, 'twice')]
// --- cell
const base = { hi() { return 'base' } };
const derived = { __proto__: base, hi() { return `derived+${super.hi()}` } };
[derived.hi(), Object.getPrototypeOf(derived) === base, base.isPrototypeOf(derived)]
// --- cell
const bare = Object.create(null, { x: { value: 1, enumerable: true } });
bare
// --- cell
const all = []; for (const k in Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })) all.push(k); all
// --- cell
Object.setPrototypeOf([], null) instanceof Array
// --- cell
new Old(1) instanceof Object, Object.prototype.toString.call(null), Object.prototype.toString.call(/x/)
