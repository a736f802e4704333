# mechanism: equality
# kind: endless
# ends: soft

class A:
  def __hash__(self): return 1
  def __eq__(self, o):
    while True: pass
{A(): 1}[A()]
