// mechanism: function that spreads
// kind: deep
// ends: error

function f(...a) { f(...a, 1) }
f()
