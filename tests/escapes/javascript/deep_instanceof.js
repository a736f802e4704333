// mechanism: instanceof
// kind: deep
// ends: error

const f = { [Symbol.hasInstance]: (x) => x instanceof f }; 1 instanceof f
