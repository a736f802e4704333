# mechanism: display of the type of an error
# kind: deep
# ends: value error

class M(type):
  @property
  def __name__(c):
    while True: pass
class E(Exception, metaclass=M): pass
raise E
