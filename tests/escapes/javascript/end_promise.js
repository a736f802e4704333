// mechanism: promise
// kind: end
// ends: deadlock

await new Promise(() => {})
