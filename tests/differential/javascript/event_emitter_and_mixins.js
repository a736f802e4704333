class Emitter { #h = {}; on(e, f) { (this.#h[e] ??= new Set()).add(f); return () => this.#h[e].delete(f) } emit(e, ...a) { for (const f of this.#h[e] ?? []) f(...a) } }
const e = new Emitter(), off = e.on('x', (...a) => console.log('heard', a)); e.emit('x', 1, 2); off(); e.emit('x', 3);
// --- cell
const Serial = (B) => class extends B { toJSON() { return { type: this.constructor.name, ...this } } }, Cmp = (B) => class extends B { eq(o) { return JSON.stringify(this) === JSON.stringify(o) } };
class V extends Cmp(Serial(Object)) { constructor(x) { super(); this.x = x } }
[JSON.stringify(new V(1)), new V(2).eq(new V(2)), new V(3)]
// --- cell
const store = ((state = { n: 0 }, subs = []) => ({ get: () => state, sub: (f) => subs.push(f), dispatch(a) { state = a.type === 'inc' ? { ...state, n: state.n + 1 } : state; subs.forEach((f) => f(state)) } }))();
store.sub((s) => console.log(s)); store.dispatch({ type: 'inc' }); store.dispatch({ type: 'none' }); store.get()
