const p = Promise.resolve('v');
await p
// --- cell
await p; 'after'
// --- cell
if (await p) { 'in if' }
// --- cell
const { length } = await p; length
// --- cell
[...await Promise.all([1, 2])]
// --- cell
`${await p}!`
// --- cell
(await p).toUpperCase().concat(await p)
// --- cell
try { await Promise.reject(new Error('no')) } catch (e) { e.message }
// --- cell
await p ? 'yes' : 'no'
// --- cell
async function later() { return await p } await later()
// --- cell
for (const x of [p, p]) await x
// --- cell
await (async () => { for await (const v of [p]) return v })()
