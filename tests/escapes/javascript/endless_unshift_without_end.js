// mechanism: unshift without end
// kind: endless
// ends: soft hard

[].unshift.call({ length: 2 ** 53 - 9 }, 1)
