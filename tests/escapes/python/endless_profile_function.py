# mechanism: profile function
# kind: endless
# ends: soft

import sys
def t(*a):
  while True: pass
sys.setprofile(t)
def f(): pass
f()
