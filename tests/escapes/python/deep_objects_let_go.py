# mechanism: objects let go
# kind: deep
# ends: value error

class A: pass
x = None
for _ in range(10**5):
  y = A()
  y.x = x
  x = y
del x, y
