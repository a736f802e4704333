# mechanism: generator that ignores
# kind: endless
# ends: hard

def g():
  while True:
    try:
      while True: pass
    except BaseException: pass
next(g())
