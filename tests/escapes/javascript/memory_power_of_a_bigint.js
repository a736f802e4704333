// mechanism: power of a BigInt
// kind: memory
// ends: error

2n ** 2n ** 40n
