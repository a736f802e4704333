# mechanism: maps
# kind: deep
# ends: value error stack crash memory

g = iter([1])
for _ in range(10**5): g = map(int, g)
list(g)
