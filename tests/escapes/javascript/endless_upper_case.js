// mechanism: upper case
// kind: endless
// ends: soft hard

const s = 'ß'.repeat(5e6); for (;;) s.toUpperCase()
