# mechanism: call
# kind: deep
# ends: error

class A: pass
A.__call__ = A()
A()()
