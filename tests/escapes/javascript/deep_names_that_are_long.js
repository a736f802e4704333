// mechanism: names that are long
// kind: deep
// ends: value error

({ ['x'.repeat(1e6)]: 1 })
