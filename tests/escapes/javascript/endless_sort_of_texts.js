// mechanism: sort of texts
// kind: endless
// ends: soft hard

'x'.repeat(2e6).split('').sort(); for (;;) {}
