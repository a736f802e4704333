// mechanism: classes
// kind: deep
// ends: error

class A { f() { return super.f() } }
Object.setPrototypeOf(A.prototype, A.prototype.constructor.prototype)
