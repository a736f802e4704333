// mechanism: recursion in finally
// kind: endless
// ends: soft

function f() { try { f() } finally { f() } }
f()
