# mechanism: trace function
# kind: deep
# ends: error

import sys
def t(*a): (lambda: sys.settrace(t))(); f()
def f(): f()
sys.settrace(t)
f()
