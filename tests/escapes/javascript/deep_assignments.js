// mechanism: assignments
// kind: deep
// ends: error stack

eval('a='.repeat(1e5) + '1')
