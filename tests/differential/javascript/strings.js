const s = 'Hello, Wörld 😀';
[s.length, [...s].length, s.toUpperCase(), s.at(1), s.charCodeAt(0), s.codePointAt(13), s.slice(-2), s.substring(5, 0), s.indexOf('o'), s.lastIndexOf('o'), s.includes('Wö')]
// --- cell
['a-b-c'.split('-'), 'abc'.split(''), 'a1b2'.replace(/\d/g, (d) => d * 2), 'aaa'.replaceAll('a', 'b'), 'x'.padStart(3, 'ab'), 'x'.padEnd(3), ' t '.trim(), ' t '.trimStart(), 'ab'.repeat(3)]
// --- cell
['abc' < 'abd', 'a' < 'B', '10' < '9', 10 < '9', 'abc'.localeCompare('abc'), 'a\u0301'.normalize('NFC').length, 'abc'.startsWith('b', 1), 'abc'.endsWith('b', 2), 'abc'.concat(1, null)]
// --- cell
[String(null), String([1, [2, 3]]), String({}), String(() => 1), `${[]}`, '' + undefined, 'b' + 'a' + +'a' + 'a', [1, 2] + [3], {} + []]
// --- cell
['abc'[1], 'abc'[9], 'abc'.charAt(9), 'a,b,c'.split(',', 2), 'test'.search(/s/), String.fromCharCode(72, 105), String.fromCodePoint(128512), String.raw`a\n${1}`, 'ß'.toUpperCase(), 'İ'.toLowerCase().length]
// --- cell
'it\'s "both" `kinds`'
// --- cell
'line\nbreak\ttab \u0000 \x1b \u2028 \ud800'
// --- cell
['isWellFormed' in '', 'ab\ud800'.isWellFormed(), 'ab\ud800'.toWellFormed().charCodeAt(2)]
