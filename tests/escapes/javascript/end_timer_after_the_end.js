// mechanism: timer after the end
// kind: end
// ends: value error

setTimeout(() => { throw 1 }); 1
