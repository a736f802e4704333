let x = 1, y;
y = x + 1
// --- cell
x, y
// --- cell
x
;
// --- cell
// only a comment
// --- cell
/* block */ x /* after */
// --- cell
x; function after() {}
// --- cell
x; class After {}
// --- cell
x; var w
// --- cell
x; if (false) { 1 }
// --- cell
`template ${x}`
// --- cell
delete globalThis.nothing
// --- cell
() => 1
// --- cell
async () => 1
// --- cell
function* gen() { yield 1 }
gen
