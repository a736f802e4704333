// mechanism: returning from finally
// kind: endless
// ends: soft

function f() { try { for (;;) {} } finally { return 1 } }
for (;;) f()
