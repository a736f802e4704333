# mechanism: unions
# kind: deep
# ends: error

import typing
x = int
for _ in range(10**5): x = list[x]
repr(x)
