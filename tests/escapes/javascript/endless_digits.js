// mechanism: digits
// kind: endless
// ends: soft hard

(9n ** 200000n).toString().length
