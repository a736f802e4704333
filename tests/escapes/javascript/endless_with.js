// mechanism: with
// kind: endless
// ends: soft

with (new Proxy({}, { has() { for (;;) {} } })) { x }
