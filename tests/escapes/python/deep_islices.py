# mechanism: islices
# kind: deep
# ends: value error stack crash memory

import itertools
g = iter([1])
for _ in range(10**5): g = itertools.islice(g, 9)
list(g)
