// mechanism: eval
// kind: endless
// ends: soft

eval('for (;;) {}')
