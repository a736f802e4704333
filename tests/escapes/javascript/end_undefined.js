// mechanism: undefined
// kind: end
// ends: error

throw undefined
