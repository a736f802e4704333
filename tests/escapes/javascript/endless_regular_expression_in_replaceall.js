// mechanism: regular expression in replaceAll
// kind: endless
// ends: soft

('a'.repeat(60) + 'b').replaceAll(/(a|a)*$/g, '')
