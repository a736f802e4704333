// mechanism: getter of then
// kind: endless
// ends: soft

await { get then() { for (;;) {} } }
