const f = (first, ...rest) => [first, rest];
[f(...'ab', ...[1]), Math.max(...new Set([3, 9])), [...[...[1]], ...new Map([[1, 2]])], { ...null, ...undefined, ...1, ...[5], ...{ a: 1, a: 2 } }]
// --- cell
const { length, ...chars } = 'hey'; [length, chars]
// --- cell
const { 0: zero, ...others } = [9, 8, 7]; [zero, others]
// --- cell
f(...5)
// --- cell
const { x, ...withoutX } = { x: 1, get y() { return 2 }, [Symbol.for('s')]: 3 }; [withoutX, Object.getOwnPropertyDescriptor(withoutX, 'y').value]
// --- cell
((...args) => args.length)(...Array(3))
