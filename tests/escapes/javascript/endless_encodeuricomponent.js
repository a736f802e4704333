// mechanism: encodeURIComponent
// kind: endless
// ends: soft hard

const s = 'é'.repeat(3e6); for (;;) encodeURIComponent(s)
