// mechanism: eval
// kind: deep
// ends: error

const s = 'eval(s)'; eval(s)
