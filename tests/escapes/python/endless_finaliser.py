# mechanism: finaliser
# kind: endless
# ends: soft

class A:
  def __del__(self):
    while True: pass
A()
None
