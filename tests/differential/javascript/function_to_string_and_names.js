[(function foo() {}).name, (() => {}).name, (class Bar {}).name, new Function('a', 'return a').name, (function () {}).bind().name, Object.getOwnPropertyDescriptor({ get x() { return 1 } }, 'x').get.name]
// --- cell
const anon = function () {}, arrow = () => {}; let { d = () => {} } = {}; [anon.name, arrow.name, d.name, { 'a b': () => {} }['a b'].name, { [Symbol('q')]() {} }[Object.getOwnPropertySymbols({})[0]]]
// --- cell
(function  spaced ( a,b ) { return a+b }).toString()
// --- cell
[String((a) => a), String(async (x) => { await x }), `${class { m() {} }}`, String(function* g() {}), ({ m() { return 1 } }).m.toString()]
// --- cell
[Math.max.toString().includes('[native code]'), (function () {}).length, ((a, b) => {}).length]
