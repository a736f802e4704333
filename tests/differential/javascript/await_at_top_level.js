const value = await Promise.resolve(41);
value + 1
// --- cell
await new Promise((resolve) => setTimeout(resolve, 1, 'timer'))
// --- cell
const results = await Promise.all([1, 2, 3].map(async (n) => n * n));
results
// --- cell
(await import2()).x
async function import2() { return { x: 'hoisted' } }
// --- cell
for await (const x of (async function* () { yield 1; yield 2 })()) console.log(x)
// --- cell
let total = 0;
for (let i = 0; i < 3; i++) total += await i;
total
// --- cell
await null
// --- cell
[await 1, await 2]
