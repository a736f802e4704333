'use strict';
(function () { return this === undefined })()
// --- cell
(function () { 'use strict'; try { undeclaredStrict = 1 } catch (e) { return e.name } })()
// --- cell
(function () { 'use strict'; try { Object.freeze({ a: 1 }).a = 2 } catch (e) { return e.name } })()
// --- cell
(function () { 'use strict'; return (function (a) { a = 2; return arguments[0] })(1) })()
// --- cell
class C { static m() { try { undeclaredInClass = 1 } catch (e) { return e.name } } } C.m()
// --- cell
010 + 0o10
// --- cell
'use strict'; 010
// --- cell
with ({ inWith: 5 }) { inWith }
