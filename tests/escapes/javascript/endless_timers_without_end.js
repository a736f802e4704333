// mechanism: timers without end
// kind: endless
// ends: soft

function f() { setTimeout(f) }
f(); await new Promise(() => {})
