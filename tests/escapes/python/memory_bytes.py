# mechanism: bytes
# kind: memory
# ends: error

bytes(1 << 30)
