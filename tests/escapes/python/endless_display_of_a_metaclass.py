# mechanism: display of a metaclass
# kind: endless
# ends: soft

class M(type):
  def __repr__(cls):
    while True: pass
class A(metaclass=M): pass
A
