# mechanism: recursion caught
# kind: deep
# ends: value error

def f():
  try: f()
  except RecursionError: pass
f()
