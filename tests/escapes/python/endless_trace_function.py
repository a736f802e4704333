# mechanism: trace function
# kind: endless
# ends: soft

import sys
def t(*a):
  while True: pass
sys.settrace(t)
def f(): pass
f()
