const replaced = JSON.stringify({ a: { b: new Date(0) }, c: [undefined, Symbol('x')], d: new Set([1]) }, function (k, v) { return v instanceof Set ? [...v] : v });
[replaced, JSON.stringify({ [Symbol('s')]: 1, f() {}, n: -0, big: 1e21 }), JSON.stringify([Object.create({ inherited: 1 })])]
// --- cell
class Temp { constructor() { this.c = 1 } toJSON(key) { return `T@${key}` } } JSON.stringify({ t: new Temp(), l: [new Temp()] })
// --- cell
JSON.stringify({ a: 1 }, null, 20).split('\n')[1].length, JSON.stringify({ a: [] , b: {} }, null, '\t')
// --- cell
JSON.parse('{"__proto__": {"x": 1}}').x, JSON.parse('[1,2]', function (k, v) { return k === '0' ? undefined : v })
// --- cell
[JSON.parse('"\\u0041\\/\\b"'), JSON.parse('1E2'), JSON.stringify('\u007f\u2028\ud83d'), JSON.stringify({ é: '€' })]
// --- cell
JSON.parse('')
// --- cell
JSON.parse('01')
// --- cell
JSON.parse('"\t"')
