// mechanism: array of an endless iterator
// kind: memory
// ends: error soft

Array.from((function* () { for (;;) yield new Uint8Array(1e5) })())
