# mechanism: MemoryError caught in a loop
# kind: memory
# ends: soft hard error

x = []
while True:
  try:
    while True: x.append(bytes(1 << 20))
  except MemoryError: pass
