// mechanism: Proxy, has
// kind: endless
// ends: soft

'x' in new Proxy({}, { has() { for (;;) {} } })
