await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no')), 3])
// --- cell
[await Promise.race([new Promise(() => {}), Promise.resolve('fast')]), await Promise.any([Promise.reject(1), Promise.resolve(2)])]
// --- cell
await Promise.reject(new RangeError('x')).catch((e) => e.name).finally(() => console.log('finally'))
// --- cell
Promise.resolve([1])
// --- cell
const order = [];
setTimeout(() => order.push('timeout'), 0);
Promise.resolve().then(() => order.push('micro 1')).then(() => order.push('micro 2'));
queueMicrotask(() => order.push('queued'));
order.push('sync');
await new Promise((r) => setTimeout(r, 5));
order
// --- cell
const thenable = { then(ok) { ok('from thenable') } };
[await thenable, await Promise.resolve(thenable)]
// --- cell
await Promise.all([Promise.resolve(1), Promise.reject(new Error('all failed'))])
// --- cell
try { await Promise.any([Promise.reject(new Error('a'))]) } catch (e) { [e.name, e.errors.length, e instanceof AggregateError] }
