async function* lines(chunks) { let buffer = ''; for await (const c of chunks) { buffer += c; const parts = buffer.split('\n'); buffer = parts.pop(); yield* parts } if (buffer) yield buffer }
const got = []; for await (const l of lines(['one\ntw', 'o\nthr', 'ee'])) got.push(l); got
// --- cell
const toArray = async (it) => { const a = []; for await (const x of it) a.push(x); return a }, filter = async function* (f, it) { for await (const x of it) if (await f(x)) yield x };
await toArray(filter(async (x) => x % 2, [1, 2, 3, Promise.resolve(5)]))
// --- cell
const closing = { [Symbol.asyncIterator]: () => ({ i: 0, next() { return Promise.resolve({ value: this.i++, done: false }) }, return() { console.log('returned'); return Promise.resolve({}) } }) };
for await (const x of closing) if (x > 1) break;
'after'
