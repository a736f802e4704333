// mechanism: clock
// kind: endless
// ends: soft

for (;;) Date.now()
