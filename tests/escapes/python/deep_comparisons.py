# mechanism: comparisons
# kind: deep
# ends: error

eval('1' + '<(1' * 50_000)
