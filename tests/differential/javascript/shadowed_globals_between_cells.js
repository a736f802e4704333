let Array2 = Array; let JSON2 = { stringify: () => 'fake' };
JSON2.stringify({}) + JSON.stringify({})
// --- cell
{ const Object = 1; console.log(Object) } typeof Object
// --- cell
function parseInt2() { return globalThis.parseInt('7') } parseInt2()
// --- cell
var name = 'n', length = 5, status = true; [name, length, status]
// --- cell
var event = 'e', top = 't', self_ = 's'; [event, top, self_]
// --- cell
function print() { return 'own print' } print()
