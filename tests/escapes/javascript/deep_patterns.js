// mechanism: patterns
// kind: deep
// ends: error stack

eval('let ' + '['.repeat(1e5))
