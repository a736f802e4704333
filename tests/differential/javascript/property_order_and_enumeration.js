const o = { b: 1, 2: 'two', a: 2, 1: 'one', [Symbol('s')]: 3, '-1': 'neg', '01': 'str' };
[Object.keys(o), JSON.stringify(o), Reflect.ownKeys(o).length]
// --- cell
const seen = []; const walk = { a: 1, b: 2, c: 3 }; for (const k in walk) { seen.push(k); delete walk.b; walk.d = 4 } seen
// --- cell
const arr = [1, 2]; arr.x = 1; Array.prototype.inherited = 1; const keys = []; for (const k in arr) keys.push(k); delete Array.prototype.inherited; keys
// --- cell
for (const k in null) console.log('never'); for (const k in 5) console.log('never'); Object.entries([7, 8])
