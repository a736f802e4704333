// mechanism: limit of the stack of errors
// kind: deep
// ends: value error

Error.stackTraceLimit = Infinity; function f(n) { if (n) f(n - 1); else throw new Error('x') }
f(1000)
