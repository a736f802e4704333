// mechanism: flat
// kind: endless
// ends: soft hard

let a = []; a.length = 2e7; a.flat(Infinity); for (;;) {}
