// mechanism: value that is a promise
// kind: end
// ends: deadlock

new Promise(() => {})
