// mechanism: WebAssembly
// kind: end
// ends: error

new WebAssembly.Memory({ initial: 65536 })
