// mechanism: catching all
// kind: endless
// ends: soft

for (;;) { try { for (;;) {} } catch { } }
