[1, 2, 3].forEach((x) => { if (x === 2) throw new Error(`at ${x}`); console.log(x) })
// --- cell
[1].map(() => { throw 'string from map' })
// --- cell
new Map([[1, 2]]).forEach(() => null.x)
// --- cell
'abc'.replace(/b/, () => { throw new RangeError('in replacer') })
// --- cell
JSON.stringify({ toJSON() { throw new Error('in toJSON') } })
// --- cell
[3, 1].sort(() => { throw new Error('in sort') })
// --- cell
Array.from({ get length() { throw new Error('in length') } })
// --- cell
Promise.resolve().then(() => { throw new Error('in then') }).catch((e) => e.message)
// --- cell
await Promise.resolve().then(() => { throw new Error('awaited') })
// --- cell
const o = { get x() { throw new Error('in getter') } }; o.x
// --- cell
`${{ toString() { throw new Error('in toString') } }}`
// --- cell
for (const x of { *[Symbol.iterator]() { yield 1; throw new Error('in iterator') } }) console.log(x)
