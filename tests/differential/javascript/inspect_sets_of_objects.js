new Set([{ a: 1 }, [1, 2], 'text', new Set([1]), null, undefined])
// --- cell
new Map([[{ id: 1 }, { name: 'one', tags: ['x', 'y'] }], ['long key that is rather long to show', 'a value that is also quite long here']])
// --- cell
[new Set(), new Map(), [new Set([new Set([new Set([new Set()])])])]]
// --- cell
const s = new Set([1]); s.extra = 'prop'; s
// --- cell
const m = new Map([['k', 'v']]); m.note = { deep: { deeper: { deepest: {} } } }; m
