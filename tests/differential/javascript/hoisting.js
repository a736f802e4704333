console.log(typeof hoisted, hoisted());
function hoisted() { return 'yes' }
console.log(v); var v = 1; v
// --- cell
(function () { return [typeof a, typeof b]; var a = 1; function b() {} })()
// --- cell
{ function inBlock() { return 'block' } }
inBlock()
// --- cell
(function () { if (true) { function g() { return 1 } } return g() })()
