# mechanism: callback of a weak reference
# kind: endless
# ends: soft

import weakref
class A: pass
def f(r):
  while True: pass
a = A()
r = weakref.ref(a, f)
del a
