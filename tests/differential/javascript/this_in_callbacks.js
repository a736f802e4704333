class Btn { label = 'b'; arrow = () => this.label; method() { return this?.label ?? 'lost' } bound = this.method.bind(this) }
const b = new Btn(), { arrow, method, bound } = b;
[arrow(), method(), bound(), [1].map(b.method, { label: 'thisArg' }), [1].map(function () { return typeof this })[0]]
// --- cell
const o = { v: 1, f() { return [1].map(() => this.v)[0] }, g: function () { return (() => () => this.v)()() } }; [o.f(), o.g(), (0, o.f).call({ v: 2 })]
// --- cell
(0, method)()
// --- cell
setTimeout(function () { console.log(typeof this) }, 0); await new Promise((r) => setTimeout(r, 3)); 'waited'
// --- cell
const { log } = console; log('detached')
