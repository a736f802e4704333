// mechanism: big integers
// kind: memory
// ends: soft hard error value

const a = []; for (let i = 0n;; i++) a.push(9n ** 100000n + i)
