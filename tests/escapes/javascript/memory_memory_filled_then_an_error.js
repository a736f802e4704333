// mechanism: memory filled, then an error
// kind: memory
// ends: soft hard error value

const a = []; try { for (;;) a.push(new Uint8Array(1e4)) } catch { }
null.x
