// mechanism: toString
// kind: endless
// ends: soft

`${{ toString() { for (;;) {} } }}`
