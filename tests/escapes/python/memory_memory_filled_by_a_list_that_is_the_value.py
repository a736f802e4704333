# mechanism: memory filled by a list that is the value
# kind: memory
# ends: soft hard error

x = []
try:
  while True: x.append('x' * 1000)
except MemoryError: pass
x
