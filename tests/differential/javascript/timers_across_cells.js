let ticks = 0;
const iv = setInterval(() => { ticks++; if (ticks >= 3) clearInterval(iv) }, 1);
'started'
// --- cell
await new Promise((r) => setTimeout(r, 40));
ticks
// --- cell
let pending = new Promise((r) => setTimeout(() => r('from an earlier cell'), 2));
typeof pending.then
// --- cell
await pending
