class A:
    def go(self): return ["A"]
class B(A):
    def go(self): return ["B"] + super().go()
class C(A):
    def go(self): return ["C"] + super().go()
class D(B, C):
    def go(self): return ["D"] + super().go()
D().go(), [k.__name__ for k in D.__mro__]
# --- cell
class E(A, B): pass
# --- cell
class Mixin:
    def __init__(self, *, tag="t", **kw):
        super().__init__(**kw)
        self.tag = tag
class Thing(Mixin, Exception): pass
Thing(tag="z").tag
