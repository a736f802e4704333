// mechanism: sort of numbers
// kind: endless
// ends: soft hard

for (;;) new Float64Array(3e6).map(Math.random).sort()
