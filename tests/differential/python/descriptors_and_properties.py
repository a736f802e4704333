class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        print("named", owner.__name__, name)
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name, None)
    def __set__(self, obj, value):
        if not isinstance(value, int):
            raise TypeError(f"{self.name[1:]} must be an int")
        setattr(obj, self.name, value)

class P:
    x = Typed()
    @property
    def double(self): return self.x * 2
    @double.setter
    def double(self, v): self.x = v // 2
    @double.deleter
    def double(self): self.x = 0

p = P()
p.x = 4
p.double = 20
p.x, p.double, type(P.x).__name__
# --- cell
del p.double
p.x
# --- cell
p.x = "no"
# --- cell
class Q:
    @property
    def fixed(self): return 1
Q().fixed = 2
