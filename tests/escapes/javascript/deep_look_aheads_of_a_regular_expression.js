// mechanism: look-aheads of a regular expression
// kind: deep
// ends: error

new RegExp('(?='.repeat(1e5) + ')'.repeat(1e5))
