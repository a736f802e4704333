# mechanism: generator
# kind: endless
# ends: soft

def g():
  while True: yield
for _ in g(): pass
