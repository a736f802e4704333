# mechanism: index in a range
# kind: endless
# ends: soft hard

range(10 ** 18).count(-1.5)
