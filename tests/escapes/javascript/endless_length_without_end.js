// mechanism: length without end
// kind: endless
// ends: soft

[].every.call({ length: 2 ** 53 - 1 }, () => 1)
