// mechanism: regular expressions
// kind: memory
// ends: soft hard error value

const a = []; for (let i = 0;; i++) a.push(new RegExp('x'.repeat(1e5) + i))
