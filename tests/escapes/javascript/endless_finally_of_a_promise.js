// mechanism: finally of a promise
// kind: endless
// ends: soft

await Promise.resolve().finally(() => { for (;;) {} })
