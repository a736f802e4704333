// mechanism: await that is caught
// kind: endless
// ends: soft

for (;;) { try { await null; for (;;) {} } catch { } }
