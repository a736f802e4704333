// mechanism: long integers to be written
// kind: endless
// ends: value

Array(25).fill((1n << 1040000n) / 7n)
