const p = Promise.reject(new Error('later handled')); p.catch(() => {});
await null;
'handled in time'
// --- cell
let caught; Promise.reject('x').catch((e) => { caught = e }); await null; await null; caught
