// mechanism: Proxy, call
// kind: endless
// ends: soft

new Proxy(() => {}, { apply() { for (;;) {} } })()
