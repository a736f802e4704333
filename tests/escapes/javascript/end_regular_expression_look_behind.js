// mechanism: regular expression, look-behind
// kind: end
// ends: value error

/(?<=(a|a)*)b/.test('a'.repeat(99) + 'c')
