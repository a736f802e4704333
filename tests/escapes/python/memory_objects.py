# mechanism: objects
# kind: memory
# ends: error soft

class A: pass
x = []
while True:
  x.append([A() for _ in range(1000)])
