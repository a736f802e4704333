# mechanism: no limit of recursion and a handler
# kind: endless
# ends: soft hard value error

import sys
old = sys.getrecursionlimit()
sys.setrecursionlimit(10**6)
try:
  def f():
    try: f()
    except RecursionError: pass
  f()
finally: sys.setrecursionlimit(old)
