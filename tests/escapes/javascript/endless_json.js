// mechanism: JSON
// kind: endless
// ends: soft hard

const a = new Array(2e6).fill(1); for (;;) JSON.stringify(a)
