// mechanism: awaits
// kind: deep
// ends: error stack

eval('(async () => ' + 'await '.repeat(1e5) + '1)')
