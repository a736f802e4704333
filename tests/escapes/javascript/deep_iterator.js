// mechanism: iterator
// kind: deep
// ends: error

const a = { [Symbol.iterator]() { return [...a] } }; [...a]
