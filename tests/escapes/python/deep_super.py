# mechanism: super
# kind: deep
# ends: error

class A:
  def f(self): super().f()
class B(A):
  def f(self): self.__class__.f(self)
B().f()
