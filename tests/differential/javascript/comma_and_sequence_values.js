let i = 0; i++, i++, i
// --- cell
for (i = 0, j = 5; i < j; i++, j--); [i, j]
var j
// --- cell
(i = 1, i + 1)
// --- cell
i ? 'yes' : 'no', 'last'
// --- cell
const f = (a, b) => (a++, b++, a + b); f(1, 2)
// --- cell
if (i) i; else 0
// --- cell
while (i-- > 0) i
// --- cell
do { i++ } while (i < 3)
// --- cell
var k = 3
// --- cell
k = 4, k
