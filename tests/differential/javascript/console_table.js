console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]);
console.table([[1, 2], [3, 4]]);
console.table([1, 'two', { three: 3 }]);
console.table(new Map([['k', 1], ['l', { m: 2 }]]));
console.table(new Set([1, 'a']));
console.table({ r1: { c: 1 }, r2: { c: 2 } });
console.table([{ a: 1, b: 2 }], ['b']);
console.table(5);
console.table([]);
console.table([{ 'é😀': '宽' }])
