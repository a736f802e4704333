// mechanism: callback of map
// kind: deep
// ends: error

const f = () => [1].map(f); f()
