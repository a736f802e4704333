// mechanism: promises in promises
// kind: deep
// ends: value error

let p = 1; for (let i = 0; i < 1e4; i++) p = Promise.resolve(p).then((x) => x); await p
