[/(?<!a)b/.exec('ab bb')?.index, /(?<=(\d+)(\d+))$/.exec('1053').slice(1), /(?:(a)|b)*/.exec('ab'), /\bfoo\b/i.test('a FOO b'), /^(?!.*\d)/.test('abc')]
// --- cell
[/a{2,3}?/.exec('aaaa')[0], /(a+)+b/.test('aaaaaaaaaaaaaaac'), /[^]/.test('\n'), /[]/.test('a'), /\cJ/.test('\n'), /\0/.test('\0'), /[\b]/.test('\b'), /a|/.exec('b')[0]]
// --- cell
const re = /(\w)(\d)?/g; const out = []; let m; while ((m = re.exec('a1b')) !== null) out.push([m[0], m[2], re.lastIndex]); out
// --- cell
[RegExp.prototype.toString.call(/a\/b/), new RegExp('a/b').source, new RegExp('').source, /[/]/.source, RegExp('\\d', 'g').test('5'), /a/[Symbol.replace]('cat', 'u'), /(?<x>a)/.exec('a').groups]
// --- cell
new RegExp('a', 'gg')
// --- cell
/\k<x>(?<x>a)/.test('a'), /\u{1}/.test('u'), /(?:)/.source
// --- cell
class Custom { static [Symbol.split](s) { return [...s] } [Symbol.match](s) { return 'custom ' + s } } ['abc'.split(Custom), 'x'.match(new Custom())]
