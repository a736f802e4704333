// mechanism: BigInt
// kind: endless
// ends: soft

let n = 9n; for (;;) n *= 9n
