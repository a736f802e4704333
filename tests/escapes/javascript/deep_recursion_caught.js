// mechanism: recursion caught
// kind: deep
// ends: value error

function f() { try { f() } catch { } }
f()
