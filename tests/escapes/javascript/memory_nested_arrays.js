// mechanism: nested arrays
// kind: memory
// ends: error soft

let a = []; for (;;) a = [a, new Uint8Array(1e5)]
