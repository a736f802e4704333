// mechanism: promise that resolves to thenables
// kind: endless
// ends: soft

const f = () => ({ then(r) { r(f()) } })
await f()
