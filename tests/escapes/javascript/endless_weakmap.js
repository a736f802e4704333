// mechanism: WeakMap
// kind: endless
// ends: soft

const w = new WeakMap(); for (;;) w.set({}, {})
