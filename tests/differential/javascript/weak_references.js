let target = { name: 't' }; const ref = new WeakRef(target);
[ref.deref()?.name, ref instanceof WeakRef, Object.prototype.toString.call(ref)]
// --- cell
const ws = new WeakSet(); const key = {}; ws.add(key); [ws.has(key), ws.delete(key), ws.has(key)]
// --- cell
const wm = new WeakMap([[key, 1]]); wm.set(target, 2); [wm.get(key), wm.has({}), wm.get(target)]
// --- cell
new WeakSet([1])
// --- cell
const fr = new FinalizationRegistry(() => {}); fr.register(target, 'held'); typeof fr.unregister
