// mechanism: symbols in the registry
// kind: memory
// ends: soft hard error value

for (let i = 0;; i++) Symbol.for('x'.repeat(1e5) + i)
