# mechanism: recursion in finally
# kind: endless
# ends: soft hard

def f():
  try: f()
  finally: f()
f()
