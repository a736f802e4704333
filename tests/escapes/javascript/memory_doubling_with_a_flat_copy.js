// mechanism: doubling with a flat copy
// kind: memory
// ends: error

let s = 'x'; for (;;) { s += s; s.charCodeAt(0) }
