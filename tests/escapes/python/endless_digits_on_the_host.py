# mechanism: long integers to be written
# kind: endless
# ends: value

[(1 << 1_040_000) // 7] * 25
