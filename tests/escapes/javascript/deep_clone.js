// mechanism: clone
// kind: deep
// ends: error

let a = []; for (let i = 0; i < 1e5; i++) a = [a]; structuredClone(a)
