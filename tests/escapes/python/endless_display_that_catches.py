# mechanism: display that catches
# kind: endless
# ends: soft hard value error

class A:
  def __repr__(self):
    while True:
      try:
        while True: pass
      except BaseException: pass
A()
