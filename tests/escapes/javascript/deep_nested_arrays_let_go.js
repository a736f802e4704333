// mechanism: nested arrays let go
// kind: deep
// ends: value error

let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a = 0
