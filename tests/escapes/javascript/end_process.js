// mechanism: process
// kind: end
// ends: error

process.exit(3)
