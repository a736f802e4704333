const log = [];
(async () => { log.push('a1'); await null; log.push('a2'); await null; log.push('a3') })();
Promise.resolve().then(() => log.push('p1')).then(() => log.push('p2'));
(async () => { log.push('b1'); await new Promise((r) => r()); log.push('b2') })();
log.push('sync');
await new Promise((r) => setTimeout(r, 2));
log.join(' ')
// --- cell
const l2 = []; const thenable = { then(r) { l2.push('then called'); r('v') } };
Promise.resolve(thenable).then((v) => l2.push(v)); Promise.resolve().then(() => l2.push('other')); await new Promise((r) => setTimeout(r, 2)); l2
// --- cell
const l3 = []; Promise.reject(1).catch(() => l3.push('catch')).finally(() => l3.push('fin')).then(() => l3.push('then')); await 0; await 0; await 0; await 0; l3
// --- cell
const l4 = []; async function r() { return Promise.resolve('inner') } r().then((v) => l4.push(v)); Promise.resolve().then(() => l4.push(1)).then(() => l4.push(2)).then(() => l4.push(3)); await new Promise((x) => setTimeout(x, 2)); l4
