// mechanism: padEnd
// kind: memory
// ends: error

'x'.padEnd(2 ** 29)
