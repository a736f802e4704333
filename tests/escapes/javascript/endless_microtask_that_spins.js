// mechanism: microtask that spins
// kind: endless
// ends: soft

queueMicrotask(() => { for (;;) {} }); await null
