// mechanism: generators
// kind: memory
// ends: error soft

const a = []; for (;;) { const g = (function* (b) { yield b })(new Uint8Array(1e5)); g.next(); a.push(g) }
