const range = { from: 1, to: 4, *[Symbol.iterator]() { for (let i = this.from; i <= this.to; i++) yield i } };
[[...range], Math.max(...range), Array.from(range, (x) => x * 2), new Set(range).size]
// --- cell
const manual = { [Symbol.iterator]() { let n = 0; return { next: () => ({ value: n, done: n++ > 2 }), return() { console.log('closed'); return {} } } } };
const [one, two] = manual;
[one, two, ...manual]
// --- cell
[...'a😀b'], [...new Map([[1, 2]])], [...[1, , 3].keys()], [...[7].entries()]
// --- cell
const [x] = 5;
// --- cell
Array.from({ length: 3 }, (_, i) => i ** 2)
