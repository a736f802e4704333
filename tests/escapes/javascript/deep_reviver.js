// mechanism: reviver
// kind: deep
// ends: error

const f = () => JSON.parse('[1]', f); f()
