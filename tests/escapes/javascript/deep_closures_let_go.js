// mechanism: closures let go
// kind: deep
// ends: value error

let f; for (let i = 0; i < 1e5; i++) f = ((g) => () => g)(f); f = 0
