// mechanism: spread
// kind: endless
// ends: soft hard

for (;;) [...'a'.repeat(1e6)]
