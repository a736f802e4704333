class A { constructor(...a) { this.args = a; this.init?.() } get g() { return 'A.g' } static s() { return 'A.s' } }
class B extends A { init() { this.inited = true } get g() { return super.g + '>B.g' } static s() { return super.s() + '>B.s' } }
[new B(1, 2), new B().g, B.s()]
// --- cell
class C extends B { constructor() { const f = () => super('from arrow'); f() } }
new C().args
// --- cell
class D extends A { constructor() {} }
new D()
// --- cell
class E extends A { constructor() { super(); super() } }
new E()
// --- cell
class F extends null { static make() { return Object.create(F.prototype) } }
[F.make() instanceof F, Object.getPrototypeOf(F.prototype)]
// --- cell
class G extends undefined {}
