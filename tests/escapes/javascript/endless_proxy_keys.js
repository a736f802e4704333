// mechanism: Proxy, keys
// kind: endless
// ends: soft

Object.keys(new Proxy({}, { ownKeys() { for (;;) {} } }))
