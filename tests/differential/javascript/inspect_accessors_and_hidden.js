({ get a() { return 1 }, set a(v) {}, get b() { return 2 }, set c(v) {} })
// --- cell
Object.defineProperty({ shown: 1 }, 'hidden', { value: 2 })
// --- cell
const arr = [1, 2]; Object.defineProperty(arr, 'x', { value: 1, enumerable: true }); arr
// --- cell
({ 'key with space': 1, valid_id: 2, $dollar: 3, 'has-dash': 4, 123: 5, '0x': 6, 'ключ': 7, '': 8 })
// --- cell
({ __proto__: { inherited: 1 }, own: 2 })
// --- cell
({ ['__proto__']: 'own property' })
