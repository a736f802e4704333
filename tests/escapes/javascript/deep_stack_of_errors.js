// mechanism: stack of errors
// kind: deep
// ends: value error

function f(n) { if (n) f(n - 1); else throw new Error('x') }
f(1000)
