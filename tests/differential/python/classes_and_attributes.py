class Base:
    kind = "base"
    def __init__(self, name):
        self.name = name
    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"

class Child(Base):
    kind = "child"
    def __init__(self, name, extra=None):
        super().__init__(name.upper())
        self.extra = extra

c = Child("x", extra=1)
c, c.kind, Base.kind, vars(c), isinstance(c, Base), Child.__mro__[:2]
# --- cell
c.missing
# --- cell
del c.extra
getattr(c, "extra", "gone"), hasattr(c, "name")
# --- cell
Child.kind = "changed"
c.kind, setattr(c, "kind", "own"), c.kind, Child.kind
# --- cell
c
