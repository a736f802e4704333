const log = [];
class A {
  static x = log.push('x');
  static { log.push('block'); this.y = 1 }
  [log.push('computed')] = log.push('never yet');
  static z = this.y + 1;
}
[log, A.z, new A()[2]]
// --- cell
class B extends A { static z = super.z + 1; v = this.constructor.name }
[B.z, B.y, new B().v, Object.keys(B)]
// --- cell
class Order { a = this.b; b = 1; constructor() { this.c = this.b } }
new Order()
