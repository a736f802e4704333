# mechanism: handler that recurses
# kind: endless
# ends: hard

def f():
  try:
    while True: pass
  except BaseException: f()
f()
