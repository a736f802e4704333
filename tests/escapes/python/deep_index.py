# mechanism: index
# kind: deep
# ends: error

class A:
  def __index__(self): return [][self]
[][A()]
