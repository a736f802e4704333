const out = [];
for (let i = 0, j = 10; i < j; i += 3, j--) out.push([i, j]);
for (const k in [7, 8]) out.push(k);
for (const k in 'ab') out.push(k);
for (var v of 'xy') out.push(v);
let n = 3; while (n--) out.push(n);
do out.push('once'); while (false)
out
// --- cell
function grade(x) { switch (true) { case x > 90: return 'A'; case x > 80: { let r = 'B'; return r } default: return 'F'; case x > 70: return 'C' } }
[95, 85, 75, 10].map(grade)
// --- cell
switch (3) { case 1: out.push(1); case 3: out.push('three'); case 4: out.push('falls'); break; case 5: out.push('no') }
out.slice(-2)
// --- cell
for (let i = 0; i < 2; i++) { setTimeout(() => console.log('later', i), 0) } await new Promise((r) => setTimeout(r, 5)); 'done'
// --- cell
if (0) 'a'; else if ('') 'b'; else 'c'
// --- cell
for (const x of [1, 2, 3]) { if (x === 2) continue; console.log(x) }
