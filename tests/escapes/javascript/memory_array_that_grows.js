// mechanism: array that grows
// kind: memory
// ends: error soft

const a = []; for (;;) a.push(new Uint8Array(1e5))
