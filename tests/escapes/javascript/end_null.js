// mechanism: null
// kind: end
// ends: error

throw null
