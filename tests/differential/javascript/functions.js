function f(a, b = a + 1, ...rest) { return [a, b, rest, arguments.length, f.length, f.name] }
[f(1), f(1, undefined, 3, 4), f.call(null, 5), f.apply(null, [6, 7]), f.bind(null, 8)(9)]
// --- cell
(function () { return typeof arguments })(), (() => 1).name, (function named() { return named.name })(), new Function('a', 'b', 'return a * b')(3, 4)
// --- cell
const o = { m() {}, get g() { return 1 }, ['c' + 1]: () => 1, async *ag() {} };
[o.m.name, o.c1.name, o.ag.name, Object.getOwnPropertyDescriptor(o, 'g').get.name, (class { static x() {} }).x.name, Symbol('z').toString()]
// --- cell
const compose = (...fs) => (x) => fs.reduceRight((v, g) => g(v), x), memo = (fn, c = new Map()) => (x) => c.has(x) ? c.get(x) : (c.set(x, fn(x)), c.get(x));
let calls = 0; const sq = memo((x) => (calls++, x * x));
[compose((x) => x + 1, (x) => x * 2)(5), sq(3), sq(3), calls]
// --- cell
function outer() { return inner(); function inner() { return 'hoisted inner' } } outer()
// --- cell
f.toString()
// --- cell
((a, b) => a + b).toString() + String(class Q { x = 1 })
// --- cell
new (() => {})()
// --- cell
(function (a) { arguments[0] = 'changed'; return a })('x') + (function (a) { 'use strict'; arguments[0] = 'c'; return a })('y')
// --- cell
function dup(a, a) { return a } dup(1, 2)
