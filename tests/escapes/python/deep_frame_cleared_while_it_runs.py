# mechanism: frame cleared while it runs
# kind: deep
# ends: value error stack crash memory

import sys
def f():
  try: sys._getframe(1).clear()
  except RuntimeError: pass
f()
