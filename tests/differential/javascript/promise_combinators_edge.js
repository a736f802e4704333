[await Promise.all([]), await Promise.allSettled([]), await Promise.all(new Set([1, Promise.resolve(2)])), await Promise.race([1, 2])]
// --- cell
await Promise.any([])
// --- cell
await Promise.all(5)
// --- cell
const { promise, resolve } = (() => { let resolve; const promise = new Promise((r) => { resolve = r }); return { promise, resolve } })(); resolve(1); resolve(2); await promise
// --- cell
await new Promise((_, no) => { no('rejected'); throw new Error('ignored') }).catch((e) => e)
// --- cell
await new Promise(() => { throw new RangeError('in executor') }).catch((e) => e.name)
// --- cell
new Promise(5)
// --- cell
const p = new Promise((r) => r(p2())); function p2() { return 'value' } await p
