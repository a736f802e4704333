// mechanism: interval
// kind: endless
// ends: soft

await new Promise(() => setInterval(() => 1, 1))
