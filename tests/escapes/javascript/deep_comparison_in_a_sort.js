// mechanism: comparison in a sort
// kind: deep
// ends: error

const f = () => [2, 1].sort(f); f()
