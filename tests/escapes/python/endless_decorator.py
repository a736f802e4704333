# mechanism: decorator
# kind: endless
# ends: soft

def f(g):
  while True: pass
@f
def g(): pass
