// mechanism: symbol
// kind: end
// ends: error

throw Symbol('x')
