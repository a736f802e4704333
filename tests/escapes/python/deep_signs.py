# mechanism: signs
# kind: deep
# ends: error

eval('-' * 100_000 + '1')
