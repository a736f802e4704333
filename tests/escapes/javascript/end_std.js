// mechanism: std
// kind: end
// ends: error

std.exit(3)
