// mechanism: resizing
// kind: memory
// ends: error

new ArrayBuffer(8, { maxByteLength: 2 ** 30 }).resize(2 ** 30)
