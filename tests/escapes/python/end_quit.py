# mechanism: quit
# kind: end
# ends: error

quit(1)
