// mechanism: output
// kind: endless
// ends: soft

for (;;) console.log('x'.repeat(1000))
