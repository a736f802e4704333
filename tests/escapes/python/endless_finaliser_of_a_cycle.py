# mechanism: finaliser of a cycle
# kind: endless
# ends: soft

import gc
class A:
  def __del__(self):
    while True: pass
a = A()
a.a = a
del a
gc.collect()
