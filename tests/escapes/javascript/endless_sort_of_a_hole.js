// mechanism: sort of a hole
// kind: endless
// ends: soft hard

Array.prototype.sort.call({ length: 2 ** 32 })
