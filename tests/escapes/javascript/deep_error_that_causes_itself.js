// mechanism: error that causes itself
// kind: deep
// ends: value error

const e = new Error('x'); e.cause = e; throw e
