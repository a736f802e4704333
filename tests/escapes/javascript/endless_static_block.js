// mechanism: static block
// kind: endless
// ends: soft

class A { static { for (;;) {} } }
