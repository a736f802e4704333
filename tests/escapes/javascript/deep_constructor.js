// mechanism: constructor
// kind: deep
// ends: error

class A { constructor() { new A() } }
new A()
