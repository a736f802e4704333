// mechanism: leaving by finally
// kind: endless
// ends: soft

for (;;) { try { for (;;) {} } finally { continue } }
