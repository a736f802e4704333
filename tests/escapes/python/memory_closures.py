# mechanism: closures
# kind: memory
# ends: error soft

f = None
while True:
  f = (lambda f, b: lambda: f)(f, bytes(100_000))
  x = f
