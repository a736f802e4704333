// mechanism: thenable that never calls
// kind: end
// ends: deadlock

await { then() {} }
