// mechanism: reverse without end
// kind: endless
// ends: soft hard

[].reverse.call({ length: 2 ** 53 - 1 })
