const log = [];
const it = { [Symbol.iterator]() { log.push('iter'); let i = 0; return { next() { log.push('next'); return { value: i++, done: i > 3 } }, return(v) { log.push('return'); return { value: v } } } } };
const [a, b] = it;
const [, ...r] = it;
for (const x of it) { if (x) break }
[a, b, r, log.join(' ')]
// --- cell
log.length = 0; try { for (const x of it) throw new Error('body') } catch (e) { log.push(e.message) } log
// --- cell
for (const x of { [Symbol.iterator]() { return {} } }) {}
// --- cell
new Map([[1]]), new Set('aab'), new Map([1])
// --- cell
const gen = (function* () { try { yield* { [Symbol.iterator]: () => ({ next: () => ({ value: 'v' }), throw: () => ({ done: true, value: 'handled' }) }) } } finally { log.push('gen finally') } })();
gen.next(); [gen.throw('x'), log.at(-1)]
