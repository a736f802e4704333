// mechanism: reading digits
// kind: endless
// ends: soft hard

for (;;) BigInt('9'.repeat(3e5))
