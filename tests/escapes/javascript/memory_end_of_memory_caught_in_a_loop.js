// mechanism: end of memory caught in a loop
// kind: memory
// ends: soft hard error value

const a = []; for (;;) { try { for (;;) a.push(new Uint8Array(1e6)) } catch { } }
