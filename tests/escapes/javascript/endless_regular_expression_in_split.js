// mechanism: regular expression in split
// kind: endless
// ends: soft

('a'.repeat(40) + 'b').split(/(a|aa)+$/)
