// mechanism: source that is long
// kind: endless
// ends: soft hard

eval('1+'.repeat(3e6) + '1'); for (;;) {}
