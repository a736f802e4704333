// mechanism: exceptions
// kind: endless
// ends: soft

for (;;) { try { throw new Error('x') } catch { } }
