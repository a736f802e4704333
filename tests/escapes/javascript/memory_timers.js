// mechanism: timers
// kind: memory
// ends: error soft

for (;;) setTimeout(((b) => () => b)(new Uint8Array(1e5)), 1e8)
