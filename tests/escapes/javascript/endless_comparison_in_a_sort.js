// mechanism: comparison in a sort
// kind: endless
// ends: soft

[2, 1].sort(() => { for (;;) {} })
