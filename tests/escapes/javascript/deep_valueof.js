// mechanism: valueOf
// kind: deep
// ends: error

const a = { valueOf() { return +a } }; +a
