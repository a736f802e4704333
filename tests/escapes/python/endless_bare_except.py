# mechanism: bare except
# kind: endless
# ends: hard

while True:
  try:
    while True: pass
  except: pass
