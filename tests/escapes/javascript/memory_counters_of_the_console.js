// mechanism: counters of the console
// kind: memory
// ends: soft hard error value

for (let i = 0;; i++) console.count('x'.repeat(1e5) + i)
