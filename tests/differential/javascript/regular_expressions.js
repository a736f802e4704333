const m = /(?<year>\d{4})-(?<month>\d\d)/d.exec('on 2024-05-06');
[m[0], m.index, m.groups.year, m.indices.groups.month, { ...m.groups }]
// --- cell
[...'a1b22'.matchAll(/[a-z](\d+)/g)].map((x) => [x[0], x[1], x.index])
// --- cell
['2024-05'.replace(/(\d+)-(\d+)/, '$2/$1'), 'John Smith'.replace(/(?<f>\w+) (?<l>\w+)/, '$<l>, $<f>'), 'abc'.replace('b', "[$&$`$']"), 'aBc'.replace(/b/i, '$$')]
// --- cell
['price: $5'.match(/(?<=\$)\d/)[0], 'foobar'.match(/foo(?!baz)/)[0], /^.$/u.test('😀'), /^.$/.test('😀'), /\p{Lu}/u.test('É'), /a.b/s.test('a\nb'), /^b/m.test('a\nb'), 'xAy'.split(/(A)/)]
// --- cell
const sticky = /foo/y; sticky.lastIndex = 3;
[sticky.test('barfoo'), sticky.lastIndex, sticky.test('barfoo'), /a|ab/.exec('abc')[0], /(?:a|ab)(?:c|bcd)(d*)/.exec('abcd')[1], /(a)|(b)/.exec('b')]
// --- cell
/x(?<n>y)?/gi
// --- cell
[/[/]\/(\d)/.source, String(new RegExp('/', 'g')), /a/.flags, new RegExp(/x/g, 'i').flags, RegExp('[').source]
// --- cell
const re = /\d/g; [re.test('1'), re.lastIndex, re.test('1'), 'a-b_c'.split(/[-_]/), /[\p{L}--[a-z]]/v.test('a'), /(\w+) \1/.test('hey hey')]
// --- cell
/(?<a>.)(?<a>.)/
