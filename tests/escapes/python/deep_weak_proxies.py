# mechanism: weak proxies
# kind: deep
# ends: value error stack crash memory

import weakref
class A: pass
a = x = A()
k = []
for _ in range(10**4):
  x = weakref.proxy(x) if x is a else x
x
