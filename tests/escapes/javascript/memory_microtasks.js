// mechanism: microtasks
// kind: memory
// ends: error soft

for (;;) Promise.resolve(new Uint8Array(1e5)).then((x) => x)
