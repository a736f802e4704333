# mechanism: loop around Exception
# kind: endless
# ends: soft

while True:
  try:
    while True: pass
  except Exception: pass
