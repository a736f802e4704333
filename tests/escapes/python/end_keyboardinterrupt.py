# mechanism: KeyboardInterrupt
# kind: end
# ends: error

raise KeyboardInterrupt
