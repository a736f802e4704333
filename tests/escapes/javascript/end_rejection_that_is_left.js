// mechanism: rejection that is left
// kind: end
// ends: value error

Promise.reject(new Error('x')); 1
