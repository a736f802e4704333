// mechanism: async recursion
// kind: endless
// ends: soft

async function f() { await null; await f() }
await f()
