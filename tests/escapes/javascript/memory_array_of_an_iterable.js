// mechanism: array of an iterable
// kind: memory
// ends: soft hard error value

Array.from({ length: 2 ** 30 }, () => 0)
