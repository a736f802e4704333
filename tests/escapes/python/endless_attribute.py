# mechanism: attribute
# kind: endless
# ends: soft

class A:
  def __getattr__(self, n):
    while True: pass
A().x
