// mechanism: base64
// kind: endless
// ends: soft hard

const s = 'x'.repeat(1e7); for (;;) atob(btoa(s))
