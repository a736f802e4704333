const a = []; a.length = 3; a[5] = 'x'; [a.length, a.push('y'), a]
// --- cell
a.length = 1; a
// --- cell
const o = { length: 3, 1: 'b' }; [Array.from(o), Array.prototype.slice.call(o), Array.prototype.indexOf.call(o, 'b')]
// --- cell
new Array('3'), new Array(3.5)
// --- cell
[].concat(1, [2], [[3]], 'four'), [[1, 2], [3]].join(';'), [null, [undefined, [1]]].toString()
