# mechanism: trace function that catches
# kind: endless
# ends: soft hard value error

import sys
def t(*a):
  try:
    while True: pass
  except BaseException: return t
sys.settrace(t)
def f():
  while True: pass
f()
