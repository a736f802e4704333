console.log('日本語', 'émoji 😀', 'RTL \u05d0', 'combining e\u0301');
console.log(['日本', 'é'], { ключ: '值' });
console.error('stderr ü');
// --- cell
'日本語'
// --- cell
({ '日本': 1, é: 2, 'a-b': 3, a1: 4, _x: 5 })
// --- cell
['\u0000', '\x7f', '\u00a0', '\u200e', '\ufeff', '\u2029']
// --- cell
console.log('tab\tand\rcarriage')
