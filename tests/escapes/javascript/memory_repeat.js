// mechanism: repeat
// kind: memory
// ends: error

'x'.repeat(2 ** 29)
