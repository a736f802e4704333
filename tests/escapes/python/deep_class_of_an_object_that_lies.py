# mechanism: class of an object that lies
# kind: deep
# ends: value error

class A:
  @property
  def __class__(self):
    while True: pass
A()
