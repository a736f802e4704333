# mechanism: hash of numbers that collide
# kind: endless
# ends: soft hard

p = 2 ** 31 - 1
d = {}
for n in range(1, 10**6): d[n * p] = 0
