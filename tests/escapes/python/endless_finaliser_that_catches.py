# mechanism: finaliser that catches
# kind: endless
# ends: soft hard value error

class A:
  def __del__(self):
    while True:
      try:
        while True: pass
      except BaseException: pass
A()
