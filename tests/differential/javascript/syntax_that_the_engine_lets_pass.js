// Optional chaining cannot be the target of new.
const o = { a: class {} };
new o?.a()
