// mechanism: Proxy, handler
// kind: endless
// ends: soft

new Proxy({}, new Proxy({}, { get() { for (;;) {} } })).x
