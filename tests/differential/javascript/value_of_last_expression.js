const words = ['sand', 'box'];
words.join('');
// --- cell
1; 2; 3
// --- cell
if (words.length) { 'from a block' }
// --- cell
for (const w of words) w + '!'
// --- cell
try { 'tried' } finally { 'ignored' }
// --- cell
undefined
// --- cell
null
// --- cell
'text'
// --- cell
let a = 5
// --- cell
a = 6
// --- cell
switch (a) { case 6: 'six'; break; default: 'other' }
