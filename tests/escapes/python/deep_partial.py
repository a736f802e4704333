# mechanism: partial
# kind: deep
# ends: error

import functools
f = print
for _ in range(10**4): f = functools.partial((lambda g: lambda: g())(f))
f()
