// mechanism: valueOf
// kind: endless
// ends: soft

1 + { valueOf() { for (;;) {} } }
