// mechanism: JSON of a shared structure
// kind: memory
// ends: soft hard error value

let a = []; for (let i = 0; i < 60; i++) a = [a, a]; JSON.stringify(a)
