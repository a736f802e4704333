// mechanism: regular expression
// kind: endless
// ends: soft

/(a+)+$/.test('a'.repeat(40) + 'b')
