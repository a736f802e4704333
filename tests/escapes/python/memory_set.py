# mechanism: set
# kind: memory
# ends: soft hard error

set(range(1 << 26))
