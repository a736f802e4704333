// mechanism: typed array beyond all
// kind: memory
// ends: error

new Uint8Array(2 ** 53)
