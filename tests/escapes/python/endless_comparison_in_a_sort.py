# mechanism: comparison in a sort
# kind: endless
# ends: soft

class A:
  def __lt__(self, o):
    while True: pass
sorted([A(), A()])
