// mechanism: symbols
// kind: memory
// ends: soft hard error value

const a = []; for (let i = 0;; i++) a.push(Symbol('x'.repeat(1e5) + i))
