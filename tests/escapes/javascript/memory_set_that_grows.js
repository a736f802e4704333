// mechanism: set that grows
// kind: memory
// ends: soft hard error value

const m = new Set(); for (let i = 0;; i++) m.add('x'.repeat(1e5) + i)
