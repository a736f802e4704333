# mechanism: power of a power
# kind: endless
# ends: soft hard

x = 3
for _ in range(99): x = x ** x
