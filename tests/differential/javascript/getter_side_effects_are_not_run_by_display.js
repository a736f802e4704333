let ran = 0;
const o = { get x() { ran++; return 1 } };
console.log(o);
// --- cell
ran
// --- cell
const p = new Proxy({ a: 1 }, { get() { ran++ }, ownKeys() { ran++; return [] }, getPrototypeOf() { ran++; return null } });
console.log(p);
ran
// --- cell
console.log([{ get [Symbol.toStringTag]() { return 'Tag' } }, { toString() { ran++; return 's' }, valueOf() { ran++ } }]);
ran
