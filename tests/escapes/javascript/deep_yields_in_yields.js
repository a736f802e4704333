// mechanism: yields in yields
// kind: deep
// ends: value error

let g = [1]; for (let i = 0; i < 2000; i++) { const h = g; g = (function* () { yield* h })() }
[...g]
