const sleep = (ms, v) => new Promise((r) => setTimeout(r, ms, v));
const limit = async (n, jobs) => { const out = [], it = jobs.entries(); let active = 0, peak = 0; await Promise.all(Array.from({ length: n }, async () => { for (const [i, j] of it) { peak = Math.max(peak, ++active); out[i] = await j(); active-- } })); return { out, peak } };
await limit(2, [1, 2, 3, 4].map((x) => () => sleep(1, x * 10)))
// --- cell
const retry = async (f, n) => { for (let i = 1; ; i++) try { return await f(i) } catch (e) { if (i >= n) throw e; console.log('retry', e.message) } };
await retry(async (i) => { if (i < 3) throw new Error(`try ${i}`); return `ok after ${i}` }, 5)
// --- cell
const timeout = (p, ms) => Promise.race([p, sleep(ms).then(() => { throw new Error('timed out') })]);
await timeout(new Promise(() => {}), 2)
// --- cell
class Queue { #items = []; #waiting = []; push(x) { this.#waiting.length ? this.#waiting.shift()(x) : this.#items.push(x) } async pop() { return this.#items.length ? this.#items.shift() : new Promise((r) => this.#waiting.push(r)) } }
const q = new Queue(); const got = Promise.all([q.pop(), q.pop()]); q.push('a'); q.push('b'); await got
// --- cell
const results = []; for (const p of [sleep(3, 's'), sleep(1, 'f')]) results.push(await p); results
