for (let i = 0; i < 200; i++) console.log(`line ${i}`);
'printed'
// --- cell
console.log('x'.repeat(5000).length, 'y'.repeat(3000))
// --- cell
console.log(Array.from({ length: 300 }, (_, i) => `item${i}`))
// --- cell
console.log(new Map(Array.from({ length: 150 }, (_, i) => [i, i * i])))
// --- cell
console.log(new Set(Array.from({ length: 120 }, (_, i) => `s${i}`)))
// --- cell
console.log(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key${i}`, i])))
