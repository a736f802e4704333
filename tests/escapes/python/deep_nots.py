# mechanism: nots
# kind: deep
# ends: error

eval('not ' * 100_000 + '1')
