// mechanism: cycle as the value
// kind: deep
// ends: value error

const a = []; a.push(a); a
