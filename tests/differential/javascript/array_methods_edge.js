[[3, 2, 1].fill(0, 1, 2), [1, 2, 3, 4].copyWithin(-2), [1, 2, 3].lastIndexOf(3, -5), [1, [2, [3]]].flat(), [NaN].indexOf(NaN), [NaN].includes(NaN), [1, 2, 3].at(-4), Array.from(new Map([[1, 2]]))]
// --- cell
[[, 'a', undefined].map(String), [, 1].reduce((a, b) => a + b, 0), [3, , 1].sort(), [1, , 2].join('-'), [...[, 1]], Object.keys([, 1]), [, 1].findIndex((x) => x === undefined), [, 1].some((x) => x === undefined)]
// --- cell
const a = [1, 2, 3, 4, 5]; [a.splice(-2), a.splice(1, 0, 'new'), a, a.splice(1), a, a.unshift(0), a.length = 0, a]
// --- cell
[1, 2, 3].with(5, 0)
// --- cell
const big = []; big[4294967294] = 'max'; [big.length, Object.keys(big)]
// --- cell
[].length = -1
// --- cell
const like = { 0: 'a', 1: 'b', length: 2 }; [Array.prototype.map.call(like, (x) => x + x), Array.prototype.join.call(like, '+'), Array.prototype.push.call(like, 'c'), like]
// --- cell
[[1, 2, 3].findLast((x) => x % 2), [5, 1, 10].toSorted(), [1, 2, 3].entries().next(), Array(3).toString(), Array.apply(null, Array(2)), [[1, 2], [3]].map(([a, b = 'd']) => [a, b])]
