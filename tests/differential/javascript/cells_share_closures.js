const secret = (() => { let n = 0; return { inc: () => ++n, peek: () => n } })();
secret.inc()
// --- cell
function later() { return helper() + secret.peek() }
later()
// --- cell
function helper() { return 100 }
secret.inc(); later()
// --- cell
const helper2 = helper; helper = () => 200; [later(), helper2()]
// --- cell
let shared = 1; const read = () => shared;
// --- cell
shared = 5; read()
// --- cell
var shared2 = 1; const read2 = () => shared2; shared2++; read2()
