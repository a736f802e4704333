// mechanism: with
// kind: deep
// ends: error

const p = new Proxy({}, { has() { with (p) { return x } } }); with (p) { x }
