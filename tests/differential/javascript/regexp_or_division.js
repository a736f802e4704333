const a = 10, g = 2, b = 5;
a / b / g
// --- cell
[1].map((x) => x /2/ 1), 4 / 2 /g, +{} / 1, (a) /b/ g
// --- cell
if (true) /re/.test('re')
// --- cell
const o = { x: 4 } 
o.x /2
// --- cell
(() => { return /a/g.flags })(), typeof /x/, 'a'.replace(/a/, '/'), `${/}/.source}`
// --- cell
a++ / 2
