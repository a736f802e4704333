// mechanism: Reflect.construct
// kind: deep
// ends: error

class A { constructor() { Reflect.construct(A, []) } }
new A()
