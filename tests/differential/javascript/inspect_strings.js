['it\'s', "say \"hi\"", `both ' and "`, 'new\nline', 'tab\t', 'nul\0', 'é😀', '\x1b[31m', 'back\\slash', '\u200b', "all ' \" `"]
// --- cell
"it's"
// --- cell
({ k: 'a\nb\nc', 'key\n': 'v' })
// --- cell
'x'.repeat(200)
// --- cell
['x'.repeat(200)]
// --- cell
console.log("raw it's \"q\"", ["it's"])
