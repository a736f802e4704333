// mechanism: object that grows
// kind: memory
// ends: error soft

const o = {}; for (let i = 0;; i++) o['k' + i] = new Uint8Array(1e5)
