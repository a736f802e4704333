// mechanism: callback of replace
// kind: deep
// ends: error

const f = () => 'a'.replace(/a/, f); f()
