// mechanism: product of big integers
// kind: endless
// ends: soft hard

let x = 9n ** 300000n; for (;;) x * x
