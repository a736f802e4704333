['aXbX'.replace('X', (m, i, s) => `[${m}${i}${s.length}]`), 'a.b.c'.replaceAll('.', () => '-'), 'abc'.replace(/(?<first>a)(b)/, (...args) => JSON.stringify(args.at(-1))), 'x'.replace('x', '$$ $& $1')]
// --- cell
'aa'.replaceAll(/a/, 'b')
// --- cell
['abcabc'.lastIndexOf('b', 3), 'abc'.indexOf(''), 'abc'.indexOf('', 10), 'a-b-c'.split('-', -1), ''.split(''), ''.split(','), 'ab'.split(/(?:)/u), 'A1B2'.split(/\d/), 'abc'.split(/(b)/)]
// --- cell
['abc'.substr(-2, 1), 'abc'.slice(2, 1), 'abc'.substring(2, 1), 'abc'.at(-4), 'tést'.localeCompare('test') !== 0, 'a'.localeCompare('b'), ['b', 'a'].sort((x, y) => x.localeCompare(y))]
// --- cell
'x'.matchAll(/x/)
