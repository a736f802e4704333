class Counter:
    instances = []
    total = 0
    def __init__(self):
        type(self).total += 1
        self.instances.append(self.total)
class Sub(Counter): pass
Counter(), Sub(), Sub()
Counter.total, Sub.total, Counter.instances, "total" in Sub.__dict__
# --- cell
class Single:
    _it = None
    def __new__(cls):
        cls._it = cls._it or super().__new__(cls)
        return cls._it
Single() is Single()
# --- cell
class Meta(type):
    def __call__(cls, *a):
        print("making", cls.__name__, a)
        return super().__call__(*a)
class M(metaclass=Meta):
    def __init__(self, x): self.x = x
M(3).x
# --- cell
Counter.reset = classmethod(lambda cls: setattr(cls, "total", 0)); Counter.reset(); Counter.total
