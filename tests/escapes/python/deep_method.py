# mechanism: method
# kind: deep
# ends: error

class A:
  def f(self): self.f()
A().f()
