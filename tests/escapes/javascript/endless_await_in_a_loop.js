// mechanism: await in a loop
// kind: endless
// ends: soft

for (;;) await null
