// mechanism: promises
// kind: memory
// ends: error soft

const a = []; for (;;) a.push(Promise.resolve(new Uint8Array(1e5)))
