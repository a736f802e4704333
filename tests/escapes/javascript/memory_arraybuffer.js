// mechanism: ArrayBuffer
// kind: memory
// ends: error

new ArrayBuffer(2 ** 30)
