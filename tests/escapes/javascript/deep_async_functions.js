// mechanism: async functions
// kind: deep
// ends: error

async function f() { await f() }
await f()
