// mechanism: destructuring
// kind: endless
// ends: soft

const [...x] = { *[Symbol.iterator]() { for (;;) yield 1 } }; x
