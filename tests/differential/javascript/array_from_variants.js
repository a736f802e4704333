[Array.from('abc'), Array.from(new Set([1, 1, 2])), Array.from({ length: 2, 0: 'a' }), Array.from([1, 2], (x, i) => x + i), Array.from(new Map([['k', 1]]).values()), Array.of(1, 2), [...'ab'].keys().next()]
// --- cell
Array.from(5), Array.from({}), Array.from(true)
// --- cell
Array.from(null)
// --- cell
Array.from({ length: -1 }), Array.from({ length: '2' })
