// mechanism: nested maps as the value
// kind: deep
// ends: value error

let a = new Map(); for (let i = 0; i < 1e5; i++) a = new Map([[1, a]]); a
