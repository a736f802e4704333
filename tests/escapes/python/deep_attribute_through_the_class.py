# mechanism: attribute through the class
# kind: deep
# ends: error

class A:
  def __getattribute__(self, n): return self.n
A().x
