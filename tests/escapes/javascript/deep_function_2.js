// mechanism: Function
// kind: deep
// ends: error

const f = () => Function('f', 'f()')(f); f()
