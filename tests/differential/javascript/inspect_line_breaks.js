({ alpha: 'a'.repeat(30), beta: 'b'.repeat(30), gamma: 'c'.repeat(30) })
// --- cell
[{ name: 'first', value: 1 }, { name: 'second', value: 2 }, { name: 'third', value: 3 }, { name: 'fourth', value: 4 }]
// --- cell
Array.from({ length: 30 }, (_, i) => i * i)
// --- cell
Array.from({ length: 120 }, (_, i) => i)
// --- cell
['apple', 'banana', 'cherry', 'dragonfruit', 'elderberry', 'fig', 'grape', 'honeydew']
// --- cell
({ f() {}, g: [1, 2, 3, [4, 5, [6]]], h: { i: 'x'.repeat(70) } })
// --- cell
[[1, 2, 3], [4, 5, 6], [7, 8, 9]]
// --- cell
'long text '.repeat(15)
// --- cell
['multi\nline', 'x'.repeat(90)]
