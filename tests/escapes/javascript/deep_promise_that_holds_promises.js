// mechanism: promise that holds promises
// kind: deep
// ends: value error

let p = Promise.resolve(1); for (let i = 0; i < 1e4; i++) p = (async (q) => [q])(p); p
