# mechanism: padding
# kind: memory
# ends: error

'x'.ljust(1 << 30)
