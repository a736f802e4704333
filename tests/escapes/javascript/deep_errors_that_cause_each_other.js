// mechanism: errors that cause each other
// kind: deep
// ends: value error

let e; for (let i = 0; i < 1e4; i++) e = new Error('x', { cause: e }); throw e
