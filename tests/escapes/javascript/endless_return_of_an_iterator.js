// mechanism: return of an iterator
// kind: endless
// ends: soft

for (const _ of { [Symbol.iterator]() { return { next() { return {} }, return() { for (;;) {} } } } }) break
