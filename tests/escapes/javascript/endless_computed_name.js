// mechanism: computed name
// kind: endless
// ends: soft

class A { [(() => { for (;;) {} })()]() {} }
