# mechanism: display
# kind: endless
# ends: soft

class A:
  def __repr__(self):
    while True: pass
A()
