// mechanism: two functions
// kind: deep
// ends: error

function f() { g() }
function g() { f() }
f()
