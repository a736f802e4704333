// mechanism: import
// kind: end
// ends: error

await import('os')
