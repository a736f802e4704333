// mechanism: functions in functions
// kind: deep
// ends: error stack

eval('()=>'.repeat(1e5) + '1')
