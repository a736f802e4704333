// mechanism: generator that waits
// kind: end
// ends: deadlock

async function* g() { await new Promise(() => {}) }
for await (const _ of g()) ;
