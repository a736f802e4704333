# mechanism: join
# kind: memory
# ends: error

'x'.join(['y' * (1 << 20)] * 2000)
