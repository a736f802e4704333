class Point { constructor(x, y) { this.x = x; this.y = y } get len() { return 1 } }
class Named extends Point { label = 'n'; #hidden = 1 }
[new Point(1, 2), new Named(3, 4), Point, Named, Point.prototype, new (class {})()]
// --- cell
class MyMap extends Map {} class MyArr extends Array {} class MySet extends Set {} class MyP extends Promise {}
[new MyMap([[1, 2]]), MyArr.from([1, 2]), new MySet([1]), new MyArr()]
// --- cell
class Tagged { get [Symbol.toStringTag]() { return 'TT' } }
[new Tagged(), Object.create(Point.prototype), Object.create({}), Object.create(Object.create(null))]
// --- cell
class Static { static a = 1; static m() {} }
Static
// --- cell
const f = function () {}; f.prop = 1; f.other = { x: 1 };
[f, Object.assign(() => {}, { k: 'v' })]
// --- cell
function Ctor() {} Ctor.prototype.constructor = undefined; new Ctor()
