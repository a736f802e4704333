// mechanism: output to stderr
// kind: endless
// ends: soft

for (;;) console.error('x'.repeat(1000))
