// mechanism: function
// kind: deep
// ends: error

function f() { f() }
f()
