// mechanism: memory filled, then a rejection
// kind: memory
// ends: soft hard error value

const a = []; try { for (;;) a.push([0]) } catch { }
await Promise.reject(new Error('x'))
