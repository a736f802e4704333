# mechanism: display
# kind: deep
# ends: error

class A:
  def __repr__(self): return repr(self)
repr(A())
