# mechanism: number of many digits
# kind: memory
# ends: error

1 << (1 << 33)
