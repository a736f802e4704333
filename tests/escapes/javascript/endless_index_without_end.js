// mechanism: index without end
// kind: endless
// ends: soft

[].indexOf.call({ length: 2 ** 53 - 1 }, 1)
