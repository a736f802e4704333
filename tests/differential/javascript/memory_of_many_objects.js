const many = Array.from({ length: 20000 }, (_, i) => ({ i, s: `item ${i}` }));
[many.length, many.at(-1), many.filter((x) => x.i % 5000 === 0).map((x) => x.s)]
// --- cell
const m = new Map(many.map((x) => [x.s, x.i])); [m.size, m.get('item 777')]
// --- cell
let s = ''; for (let i = 0; i < 20000; i++) s += i % 10; [s.length, s.slice(-5)]
// --- cell
many.length = 0; m.clear(); [many, m]
