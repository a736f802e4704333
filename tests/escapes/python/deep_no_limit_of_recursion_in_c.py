# mechanism: no limit of recursion in C
# kind: deep
# ends: value error stack crash memory

import sys
old = sys.getrecursionlimit()
sys.setrecursionlimit(2**31 - 1)
class A:
  def __repr__(self): return repr([self])
try: repr(A())
finally: sys.setrecursionlimit(old)
