// mechanism: timer that spins
// kind: endless
// ends: soft

await new Promise(() => setTimeout(() => { for (;;) {} }))
