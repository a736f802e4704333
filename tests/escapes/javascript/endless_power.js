// mechanism: power
// kind: endless
// ends: soft hard

for (;;) 3n ** 300000n
