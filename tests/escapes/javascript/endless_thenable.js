// mechanism: thenable
// kind: endless
// ends: soft

await { then() { for (;;) {} } }
