// mechanism: Function
// kind: endless
// ends: soft

Function('for (;;) {}')()
