# mechanism: iteration
# kind: deep
# ends: error

class A:
  def __iter__(self): return iter(self)
list(A())
