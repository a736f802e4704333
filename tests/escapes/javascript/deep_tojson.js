// mechanism: toJSON
// kind: deep
// ends: error

const a = { toJSON() { return JSON.stringify(a) } }; JSON.stringify(a)
