// mechanism: loop
// kind: endless
// ends: soft

for (;;) {}
