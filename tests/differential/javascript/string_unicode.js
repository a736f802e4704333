const s = 'e\u0301👨‍👩‍👧‍👦ñ';
[s.length, [...s].length, s.normalize('NFC').length, s.codePointAt(2).toString(16), encodeURIComponent('é😀'), escape('é'), 'ñ'.normalize('NFD').length]
// --- cell
['ﬁ'.toUpperCase(), 'ΑΣ'.toLowerCase(), 'ǅ'.toLowerCase(), 'i'.toUpperCase(), 'é' === 'e\u0301', 'é' === 'e\u0301'.normalize(), 'Ⅷ'.toLowerCase(), '\u{1F600}', '\x41\u0042']
// --- cell
[/^\p{Script=Greek}+$/u.test('αβγ'), /\p{Emoji_Presentation}/u.test('😀'), '😀'.match(/./gu).length, '😀'.match(/./g).length, /[😀-😎]/u.test('😃'), /\u{61}/u.test('a'), 'İ'.match(/i̇/i)]
// --- cell
'\u{110000}'
// --- cell
String.fromCodePoint(-1)
// --- cell
var ünïcödé = 1, \u0061bc = 2; [ünïcödé, abc]
