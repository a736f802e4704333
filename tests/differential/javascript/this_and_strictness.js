function sloppy() { return typeof this }
function strict() { 'use strict'; return typeof this }
[sloppy(), strict(), sloppy.call(5), strict.call(5), (() => typeof this)()]
// --- cell
this === globalThis
// --- cell
var onGlobal = 7;
let notOnGlobal = 8;
[globalThis.onGlobal, globalThis.notOnGlobal]
// --- cell
(function () { undeclared = 1; return typeof undeclared })()
// --- cell
'use strict';
stillUndeclared = 1;
// --- cell
const o = { name: 'o', arrow: () => typeof this, method() { return this.name } };
const m = o.method;
[o.method(), o.arrow(), m.bind({ name: 'bound' })()]
