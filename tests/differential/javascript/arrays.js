const a = [5, 1, 4];
a.push(2); a.unshift(9); a.splice(1, 2, 'x', 'y', 'z'); a.reverse();
[a, a.indexOf('x'), a.includes(2), a.at(-1), a.slice(1, -1), a.concat([1], 2), a.join('-')]
// --- cell
[[3, 1, 10, 2].sort(), [3, 1, 10, 2].sort((x, y) => x - y), ['b', undefined, 'a'].sort(), [1, 2, 3].toSorted((x, y) => y - x), [1, 2].toReversed(), [1, 2, 3].with(1, 'w'), [1, 2, 3].toSpliced(0, 1)]
// --- cell
[[1, [2, [3, [4]]]].flat(Infinity), [1, 2].flatMap((x) => [x, x * 2]), [1, 2, 3].reduce((s, x) => s + x), [1, 2, 3].reduceRight((s, x) => s + x, ''), [1, 2, 3].find((x) => x > 1), [1, 2, 3].findLast((x) => x < 3), [1, 2].findLastIndex((x) => x > 5)]
// --- cell
[Array(3).fill(0), Array.of(7), new Array(2, 3), [...Array(3).keys()], [1, 2, 3].copyWithin(0, 1), [1, 2, 3].every(Number.isInteger), [].some((x) => x), Array.isArray([]), [, 1].length]
// --- cell
const h = [1, , 3]; h.length = 5; h[7] = 8;
[h, h.map((x) => x * 2), 1 in h, h.forEach((x) => console.log(x))]
// --- cell
[].reduce((x) => x)
// --- cell
const b = [1, 2, 3]; b.extra = 'prop'; b[-1] = 'neg'; b
// --- cell
[[1, 2] == '1,2', [] + [], [2] * [3], [1, 2, 3].toString(), [null, undefined, [1]].join('|'), [10, 9, 1].sort().length]
// --- cell
Array.from('abc', function (c) { return c + this.suffix }, { suffix: '!' })
