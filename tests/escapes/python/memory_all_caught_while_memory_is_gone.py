# mechanism: all caught while memory is gone
# kind: memory
# ends: soft hard error

x = []
while True:
  try:
    while True: x.append(bytearray(1 << 16))
  except BaseException: pass
