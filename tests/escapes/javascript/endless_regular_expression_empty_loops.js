// mechanism: regular expression, empty loops
// kind: endless
// ends: soft

/(?:a*)*b/.test('a'.repeat(9999))
