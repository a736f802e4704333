class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases, **kw):
        return {"prepared": True}
    def __new__(mcls, name, bases, ns, upper=False):
        cls = super().__new__(mcls, name.upper() if upper else name, bases, dict(ns))
        cls.made_by = mcls.__name__
        return cls
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
    def __len__(cls): return 42
    def __instancecheck__(cls, obj): return obj == "instance"

class A(metaclass=Meta, upper=True):
    pass

A.__name__, A.prepared, A.made_by, len(A), isinstance("instance", A), isinstance(A(), A)
# --- cell
class M1(type): pass
class M2(type): pass
class X(metaclass=M1): pass
class Y(metaclass=M2): pass
class Z(X, Y): pass
# --- cell
T = type("Dynamic", (dict,), {"hello": lambda self: "hi"})
T(a=1).hello(), T(a=1)
