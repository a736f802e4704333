// mechanism: setter
// kind: endless
// ends: soft

({ set x(v) { for (;;) {} } }).x = 1
