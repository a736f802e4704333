// mechanism: transfer
// kind: memory
// ends: error

new ArrayBuffer(8, { maxByteLength: 2 ** 40 })
