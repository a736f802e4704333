// mechanism: toPrimitive
// kind: deep
// ends: error

const a = { [Symbol.toPrimitive]() { return a + 1 } }; a + 1
