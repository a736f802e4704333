# mechanism: except star
# kind: endless
# ends: hard

while True:
  try:
    while True: pass
  except* BaseException: pass
