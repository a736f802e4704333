// mechanism: Proxy as a global prototype
// kind: end
// ends: value error

Object.setPrototypeOf(globalThis, new Proxy({}, { has() { for (;;) {} } }))
nothing
