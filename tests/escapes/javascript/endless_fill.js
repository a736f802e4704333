// mechanism: fill
// kind: endless
// ends: soft hard

const b = new Uint8Array(5e7); for (;;) b.fill(1)
