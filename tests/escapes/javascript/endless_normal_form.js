// mechanism: normal form
// kind: endless
// ends: soft hard

const s = 'a\u0301'.repeat(2e6); for (;;) s.normalize('NFKC')
