// mechanism: value whose class throws
// kind: end
// ends: value error

class A { get constructor() { throw 1 } static get name() { throw 1 } }
new A()
