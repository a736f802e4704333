# mechanism: hash
# kind: endless
# ends: soft

class A:
  def __hash__(self):
    while True: pass
{A()}
