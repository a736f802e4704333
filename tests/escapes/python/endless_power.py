# mechanism: power
# kind: endless
# ends: soft hard

9 ** 9 ** 9
