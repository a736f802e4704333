// mechanism: shift of a BigInt
// kind: memory
// ends: error

1n << 10000000n
