// mechanism: many timers
// kind: endless
// ends: soft

for (;;) setTimeout(() => {}, 1e8)
