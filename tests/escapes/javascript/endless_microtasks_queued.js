// mechanism: microtasks, queued
// kind: endless
// ends: soft

function f() { queueMicrotask(f) }
f()
