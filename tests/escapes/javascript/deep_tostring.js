// mechanism: toString
// kind: deep
// ends: error

const a = { toString() { return `${a}` } }; `${a}`
