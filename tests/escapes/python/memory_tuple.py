# mechanism: tuple
# kind: memory
# ends: error

(0,) * (1 << 29)
