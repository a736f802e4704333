const c = { n: 1 };
c.n = 2;
c
// --- cell
c = 5
// --- cell
try { c = 6 } catch (e) { console.log(e.name) }
c.n
