// mechanism: waiting on shared memory
// kind: end
// ends: value error

Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1e8)
