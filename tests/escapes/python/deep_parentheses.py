# mechanism: parentheses
# kind: deep
# ends: error

eval('(' * 10_000 + ')' * 10_000)
