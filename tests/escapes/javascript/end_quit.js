// mechanism: quit
// kind: end
// ends: error

quit(3)
