// mechanism: generators
// kind: deep
// ends: error

function* g() { yield* g() }
[...g()]
