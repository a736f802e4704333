# mechanism: equality
# kind: deep
# ends: error

class A:
  def __eq__(self, o): return self == o
A() == 1
