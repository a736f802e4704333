# mechanism: loop in a function in a class body
# kind: endless
# ends: soft

class A:
  def f():
    while True: pass
  f()
