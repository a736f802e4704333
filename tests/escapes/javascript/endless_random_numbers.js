// mechanism: random numbers
// kind: endless
// ends: soft

for (;;) Math.random()
