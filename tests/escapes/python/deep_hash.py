# mechanism: hash
# kind: deep
# ends: error

class A:
  def __hash__(self): return hash(self)
hash(A())
