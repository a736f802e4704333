const x = 1;
let y = 2;
class A { v() { return 1 } }
function f() { return 'one' }
var v = 1;
[x, y, new A().v(), f(), v]
// --- cell
const x = 'again';
let y = [2];
class A { v() { return 2 } }
function f() { return 'two' }
var v = 2;
[x, y, new A().v(), f(), v]
// --- cell
let { y, ...others } = { y: 'destructured', p: 1, q: 2 };
[y, others]
// --- cell
let z = 1; let z = 2;
// --- cell
typeof z
