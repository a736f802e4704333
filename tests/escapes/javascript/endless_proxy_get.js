// mechanism: Proxy, get
// kind: endless
// ends: soft

new Proxy({}, { get() { for (;;) {} } }).x
