# mechanism: property
# kind: deep
# ends: error

class A:
  @property
  def x(self): return self.x
A().x
