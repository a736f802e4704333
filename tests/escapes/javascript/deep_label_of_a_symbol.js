// mechanism: label of a symbol
// kind: deep
// ends: value error

Symbol('x'.repeat(1e6))
