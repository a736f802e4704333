# mechanism: hook for errors
# kind: endless
# ends: soft

import sys
def h(*a):
  while True: pass
sys.excepthook = h
sys.unraisablehook = h
class A:
  def __del__(self): 1 / 0
A()
None
