async function add(a, b) { return (await a) + (await b) }
[await add(1, Promise.resolve(2)), add instanceof Function, Object.prototype.toString.call(add)]
// --- cell
const steps = [];
async function one() { steps.push(1); await null; steps.push(3) }
one(); steps.push(2); await null; await null;
steps
// --- cell
async function thrower() { throw new TypeError('async') }
await thrower().then(() => 'no', (e) => `rejected ${e.name}`)
// --- cell
await (async () => { try { return await thrower() } catch { return 'caught' } finally { console.log('done') } })()
// --- cell
const sleep = (ms, v) => new Promise((r) => setTimeout(r, ms, v));
await Promise.all([sleep(8, 'slow'), sleep(1, 'fast')])
// --- cell
class S { async m() { return this.v } v = 3 }
await new S().m()
