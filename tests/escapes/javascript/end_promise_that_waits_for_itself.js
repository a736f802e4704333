// mechanism: promise that waits for itself
// kind: end
// ends: deadlock

let f; const p = new Promise((r) => { f = r }); const q = p.then(() => q); await p
