# mechanism: leaving by finally
# kind: endless
# ends: hard

while True:
  try:
    while True: pass
  finally: continue
