# mechanism: memory filled, then an error
# kind: memory
# ends: soft hard error

x = []
try:
  while True: x.append(bytes(1 << 12))
except MemoryError: pass
def f(n): return f(n + 1)
f(0)
