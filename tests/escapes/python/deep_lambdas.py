# mechanism: lambdas
# kind: deep
# ends: error

eval('lambda: ' * 50_000 + '1')
