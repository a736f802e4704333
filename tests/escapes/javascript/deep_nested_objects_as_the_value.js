// mechanism: nested objects as the value
// kind: deep
// ends: value error

let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; a
