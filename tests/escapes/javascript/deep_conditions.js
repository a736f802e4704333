// mechanism: conditions
// kind: deep
// ends: error stack

eval('1?'.repeat(1e5) + '1')
