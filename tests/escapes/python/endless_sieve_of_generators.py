# mechanism: sieve of generators
# kind: endless
# ends: soft

def f(n):
  while True: yield n
g = f(1)
for _ in range(50): g = (x for x in g)
for _ in g: pass
