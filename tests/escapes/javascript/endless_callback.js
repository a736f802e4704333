// mechanism: callback
// kind: endless
// ends: soft

[1].map(() => { for (;;) {} })
