# mechanism: namespace of a class
# kind: endless
# ends: soft

class M(type):
  def __prepare__(*a):
    while True: pass
class A(metaclass=M): pass
