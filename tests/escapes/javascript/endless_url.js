// mechanism: URL
// kind: endless
// ends: soft hard

for (;;) new URL('http://x/' + 'a/../'.repeat(1e5))
