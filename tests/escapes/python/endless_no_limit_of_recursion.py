# mechanism: no limit of recursion
# kind: endless
# ends: soft hard value error

import sys
old = sys.getrecursionlimit()
sys.setrecursionlimit(2**31 - 1)
try:
  def f(): f()
  f()
finally: sys.setrecursionlimit(old)
