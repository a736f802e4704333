# mechanism: sums
# kind: deep
# ends: error

eval('+'.join(['1'] * 100_000) + '+(' * 5000)
