const observed = (o, log, path = '') => new Proxy(o, { get: (t, k) => typeof t[k] === 'object' && t[k] ? observed(t[k], log, `${path}${String(k)}.`) : t[k], set: (t, k, v) => (log.push(`${path}${k}=${v}`), t[k] = v, true) });
const log = []; const o = observed({ a: { b: 1 }, l: [] }, log); o.a.b = 2; o.l.push('x'); o.n = 0; [log, o.a.b]
// --- cell
const neg = new Proxy([1, 2, 3], { get: (t, k, r) => typeof k === 'string' && /^-\d+$/.test(k) ? t[t.length + +k] : Reflect.get(t, k, r) }); [neg[-1], neg[0], neg.length, neg.map((x) => x)]
// --- cell
const enumOf = (...names) => new Proxy(Object.freeze(Object.fromEntries(names.map((n, i) => [n, i]))), { get(t, k) { if (!(k in t)) throw new ReferenceError(`no ${String(k)}`); return t[k] } });
const E = enumOf('A', 'B'); E.B
// --- cell
E.C
// --- cell
const ro = new Proxy({ x: 1 }, { set() { throw new TypeError('read only') }, deleteProperty() { return false } }); try { ro.x = 2 } catch (e) { console.log(e.message) } [delete ro.x, ro.x]
