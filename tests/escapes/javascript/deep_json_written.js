// mechanism: JSON written
// kind: deep
// ends: error

let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)
