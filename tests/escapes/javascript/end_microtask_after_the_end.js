// mechanism: microtask after the end
// kind: end
// ends: value error

Promise.resolve().then(() => { throw 1 }); 1
