// mechanism: two promises that wait for each other
// kind: end
// ends: deadlock

let a, b; a = (async () => { await null; await b })(); b = (async () => { await null; await a })(); await a
