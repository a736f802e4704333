// mechanism: search in a text
// kind: endless
// ends: soft hard

'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b')
