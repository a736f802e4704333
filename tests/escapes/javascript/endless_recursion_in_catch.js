// mechanism: recursion in catch
// kind: endless
// ends: soft

function f() { try { f() } catch { f() } }
f()
