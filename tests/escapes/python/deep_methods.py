# mechanism: methods
# kind: deep
# ends: value error stack crash memory

import types
f = print
for _ in range(10**5): f = types.MethodType(f, 1)
f()
