// mechanism: doubling
// kind: memory
// ends: error

let s = 'x'; for (;;) s += s
