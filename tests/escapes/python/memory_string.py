# mechanism: string
# kind: memory
# ends: error

'x' * (1 << 30)
