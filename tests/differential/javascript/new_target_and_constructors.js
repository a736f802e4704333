function F() { return new.target === F }
function G() { if (!new.target) return new G(); this.made = true }
[G(), new G(), Reflect.construct(function () { return { t: new.target.name } }, [], Array)]
// --- cell
class Abstract { constructor() { if (new.target === Abstract) throw new TypeError('abstract') } }
class Real extends Abstract {}
new Real()
// --- cell
try { new Abstract() } catch (e) { e.message }
// --- cell
function Returns(x) { this.own = 1; return x }
[new Returns(5), new Returns({ other: 2 }), new Returns(null)]
