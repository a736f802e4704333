# mechanism: display in a list
# kind: endless
# ends: soft

class A:
  def __repr__(self):
    while True: pass
[1, A()]
