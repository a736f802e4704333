// mechanism: template
// kind: memory
// ends: error

const s = 'x'.repeat(2 ** 27); `${s}${s}${s}${s}`
