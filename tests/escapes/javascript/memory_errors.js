// mechanism: errors
// kind: memory
// ends: soft hard error value

let e; for (;;) e = new Error('x'.repeat(1e5), { cause: e })
