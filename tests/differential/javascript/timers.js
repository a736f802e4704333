const log = [];
const t = setTimeout((a, b) => log.push(a + b), 2, 'x', 'y');
const cancelled = setTimeout(() => log.push('never'), 1); clearTimeout(cancelled);
let n = 0; const iv = setInterval(() => { log.push(++n); if (n === 3) clearInterval(iv) }, 1);
await new Promise((r) => setTimeout(r, 30));
log.sort()
// --- cell
const order = []; setTimeout(() => order.push('b'), 5); setTimeout(() => order.push('a'), 1); setTimeout(() => order.push('c'), 5);
await new Promise((r) => setTimeout(r, 15)); order
// --- cell
clearTimeout(undefined), clearTimeout(12345), typeof setTimeout
// --- cell
await new Promise((r) => queueMicrotask(r)); 'micro'
