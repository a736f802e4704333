// mechanism: splice without end
// kind: end
// ends: error

[].splice.call({ length: 2 ** 53 - 1 }, 0, 2 ** 53 - 1)
