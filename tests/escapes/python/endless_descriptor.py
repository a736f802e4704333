# mechanism: descriptor
# kind: endless
# ends: soft

class D:
  def __get__(self, *a):
    while True: pass
class A: d = D()
A.d
