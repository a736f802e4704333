async function* ticks(n) { for (let i = 0; i < n; i++) { await null; yield i } }
const seen = [];
for await (const t of ticks(3)) seen.push(t);
seen
// --- cell
const it = ticks(2);
[await it.next(), await it.return('r'), await it.next()]
// --- cell
const out = [];
for await (const v of [Promise.resolve('a'), 'b']) out.push(v);
out
// --- cell
async function* failing() { yield 1; throw new Error('in generator') }
try { for await (const x of failing()) console.log(x) } catch (e) { console.log(e.message) }
// --- cell
const both = { async *[Symbol.asyncIterator]() { yield* ticks(2); yield 'last' } };
const collected = []; for await (const x of both) collected.push(x); collected
