// mechanism: arrow
// kind: deep
// ends: error

const f = () => f()
f()
