class R { constructor(w) { this.w = w } get area() { return this.w ** 2 } set area(v) { this.w = Math.sqrt(v) } static unit() { return new R(1) } }
const r = new R(3); r.area = 16; [r, r.area, R.unit()]
// --- cell
console.log(r, { r }, [r, [r]])
// --- cell
Object.defineProperty(r, 'shown', { get: () => 1, enumerable: true }); console.log(r)
// --- cell
class Sub extends R { get area() { return super.area + 1 } } [new Sub(2).area, new Sub(2)]
