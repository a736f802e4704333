// mechanism: bound functions
// kind: deep
// ends: error

let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(); f()
