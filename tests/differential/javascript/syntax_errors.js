let = ;
// --- cell
function (
// --- cell
const noInit;
// --- cell
'unterminated
// --- cell
({ a: 1,, })
// --- cell
return_ = 1; } 
// --- cell
for (let i = 0; i < 3; i++
// --- cell
class { }
// --- cell
/[/
// --- cell
a => { }()
// --- cell
new.target
// --- cell
break
// --- cell
let x; var x;
// --- cell
async () => { for await (x in y) {} }
// --- cell
'use strict'; with (a) {}
// --- cell
1++
// --- cell
({ a: 1 } = 5) => 1
// --- cell
"still works"
