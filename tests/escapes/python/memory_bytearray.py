# mechanism: bytearray
# kind: memory
# ends: error

bytearray(1 << 30)
