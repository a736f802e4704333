// mechanism: eval in eval
// kind: endless
// ends: soft

for (;;) eval('1')
