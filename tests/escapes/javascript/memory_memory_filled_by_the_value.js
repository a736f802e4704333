// mechanism: memory filled by the value
// kind: memory
// ends: soft hard error value

const a = []; try { for (;;) a.push('x'.repeat(1000) + a.length) } catch { }
a
