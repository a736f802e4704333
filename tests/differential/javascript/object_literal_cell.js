{ a: 1, b: [2, 3] }
// --- cell
{ "quoted": { nested: true } }
// --- cell
{ let x = 5; x * 2 }
// --- cell
{}
// --- cell
{ a: 1 }.a
// --- cell
({ a: 1 }).a
// --- cell
{ label: for (;;) { break label } }
