// mechanism: microtasks
// kind: endless
// ends: soft

function f() { Promise.resolve().then(f) }
f(); await new Promise(() => {})
