// mechanism: arguments
// kind: memory
// ends: error

Math.max.apply(null, { length: 2 ** 31 })
