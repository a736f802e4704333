// mechanism: groups of the console
// kind: memory
// ends: error soft

for (;;) console.group('x')
