# mechanism: brackets
# kind: deep
# ends: error

eval('[' * 100_000)
