# mechanism: modular power
# kind: endless
# ends: soft hard

pow(3, 7 ** 50_000, 7 ** 20_000 - 2)
