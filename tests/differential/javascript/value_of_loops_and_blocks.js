for (let i = 0; i < 3; i++) { i * 10 }
// --- cell
for (const k in { a: 1, b: 2 }) k
// --- cell
let n = 0; while (n < 3) n++
// --- cell
do { 'once' } while (false)
// --- cell
{ 1; { 2 } }
// --- cell
try { throw 1 } catch { 'caught' }
// --- cell
try { 'tried' } catch { }
// --- cell
label: { 'in label'; break label }
// --- cell
if (false) { 1 }
// --- cell
switch (2) { case 1: 'one'; case 2: 'two'; case 3: 'three' }
// --- cell
'before'; function f() {}
// --- cell
'value'; let z = 5
// --- cell
5; { }
