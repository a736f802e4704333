# mechanism: exceptions that hold each other
# kind: deep
# ends: value error

e = None
for _ in range(10**5):
  f = ValueError()
  f.__context__ = e
  e = f
raise e
