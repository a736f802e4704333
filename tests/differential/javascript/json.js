[JSON.stringify({ a: [1, 'x', null, undefined, () => 1, NaN, Infinity], u: undefined, d: new Date(0), n: { toJSON: () => 'custom' } }), JSON.stringify(undefined), JSON.stringify('\u2028\ud800"\\')]
// --- cell
console.log(JSON.stringify({ a: [], b: {}, c: [1, { d: 2 }] }, null, 2));
console.log(JSON.stringify([1, [2]], null, '--'));
// --- cell
[JSON.stringify({ a: 1, b: 2, c: { a: 3, d: 4 } }, ['a', 'c']), JSON.stringify({ x: 5, y: 'z' }, (k, v) => (typeof v === 'number' ? v * 2 : v)), JSON.stringify(new Map([[1, 2]])), JSON.stringify(Object(1n) instanceof BigInt)]
// --- cell
JSON.parse('{"a": [1, 2e3, -0.5, "\\u00e9\\n"], "__proto__": 1, "a2": {"b": null}}', (k, v) => (k === 'b' ? 'revived' : v))
// --- cell
JSON.parse("{'single': 1}")
// --- cell
JSON.parse('[1,]')
// --- cell
const c = {}; c.c = c; JSON.stringify(c)
// --- cell
[JSON.parse('"\\ud83d\\ude00"'), JSON.parse(' [ ] '), JSON.parse('1e400'), JSON.parse('-0'), JSON.stringify([new Number(1), new String('s'), new Boolean(true), Symbol('x')])]
