// mechanism: names of properties
// kind: memory
// ends: soft hard error value

const o = {}; for (let i = 0;; i++) o['x'.repeat(1e5) + i] = 1
