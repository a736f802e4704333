// mechanism: nested arrays on the console
// kind: deep
// ends: value error

let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a); console.dir(a, { depth: Infinity })
