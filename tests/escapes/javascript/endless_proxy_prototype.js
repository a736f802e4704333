// mechanism: Proxy, prototype
// kind: endless
// ends: soft

Object.getPrototypeOf(new Proxy({}, { getPrototypeOf() { for (;;) {} } }))
