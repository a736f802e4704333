# mechanism: truth
# kind: endless
# ends: soft

class A:
  def __bool__(self):
    while True: pass
not A()
