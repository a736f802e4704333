// mechanism: handler of a rejection
// kind: endless
// ends: soft

await Promise.reject(1).catch(() => { for (;;) {} })
