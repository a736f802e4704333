class LinkedList { #head = null; size = 0; add(v) { this.#head = { v, next: this.#head }; this.size++; return this } *[Symbol.iterator]() { for (let n = this.#head; n; n = n.next) yield n.v } }
[...new LinkedList().add(1).add(2).add(3)], new LinkedList().add('x')
// --- cell
class Heap { a = []; push(x) { const a = this.a; a.push(x); for (let i = a.length - 1; i > 0;) { const p = (i - 1) >> 1; if (a[p] <= a[i]) break; [a[p], a[i]] = [a[i], a[p]]; i = p } } pop() { const a = this.a, top = a[0], last = a.pop(); if (a.length) { a[0] = last; for (let i = 0;;) { let c = 2 * i + 1; if (c >= a.length) break; if (c + 1 < a.length && a[c + 1] < a[c]) c++; if (a[i] <= a[c]) break; [a[i], a[c]] = [a[c], a[i]]; i = c } } return top } }
const h = new Heap(); [5, 2, 8, 1, 9].forEach((x) => h.push(x)); [h.pop(), h.pop(), h.pop(), h]
// --- cell
class LRU { constructor(n) { this.n = n; this.m = new Map() } get(k) { if (!this.m.has(k)) return; const v = this.m.get(k); this.m.delete(k); this.m.set(k, v); return v } set(k, v) { this.m.delete(k); this.m.set(k, v); if (this.m.size > this.n) this.m.delete(this.m.keys().next().value) } }
const l = new LRU(2); l.set('a', 1); l.set('b', 2); l.get('a'); l.set('c', 3); l
// --- cell
class Trie { root = {}; insert(w) { let n = this.root; for (const c of w) n = n[c] ??= {}; n.end = true } has(w) { let n = this.root; for (const c of w) if (!(n = n[c])) return false; return !!n.end } }
const t = new Trie(); t.insert('to'); t.insert('tea'); [t.has('to'), t.has('te'), t]
