# mechanism: catching all
# kind: endless
# ends: hard

while True:
  try:
    while True: pass
  except BaseException: pass
