// mechanism: map that grows
// kind: memory
// ends: soft hard error value

const m = new Map(); for (let i = 0;; i++) m.set(i, 'x'.repeat(1e5) + i)
