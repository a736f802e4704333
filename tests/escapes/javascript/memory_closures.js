// mechanism: closures
// kind: memory
// ends: error soft

let f; for (;;) f = ((g, b) => () => [g, b])(f, new Uint8Array(1e5))
