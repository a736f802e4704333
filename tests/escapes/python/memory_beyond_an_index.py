# mechanism: beyond an index
# kind: memory
# ends: error

'x' * (1 << 62)
