(function () { return [arguments.length, [...arguments], Array.from(arguments, (x) => x * 2), typeof arguments, Array.isArray(arguments)] })(1, 2)
// --- cell
(function (a) { a = 9; return arguments[0] })(1), (function (a = 0) { a = 9; return arguments[0] })(1)
// --- cell
(() => typeof arguments === 'object' ? 'function' : 'none')()
// --- cell
(function () { return (() => arguments[0])() })('outer')
// --- cell
(function f(n) { return n ? arguments.callee(n - 1) + 1 : 0 })(3)
// --- cell
(function () { 'use strict'; return arguments.callee })()
