// mechanism: brackets
// kind: deep
// ends: error stack

eval('['.repeat(1e5))
