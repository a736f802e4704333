// mechanism: timer that is far
// kind: endless
// ends: soft

await new Promise((f) => setTimeout(f, 1e8))
