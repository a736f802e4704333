class Proxy:
    def __init__(self, target): object.__setattr__(self, "_t", target)
    def __getattr__(self, name): print("get", name); return getattr(self._t, name)
    def __setattr__(self, name, v): print("set", name); setattr(self._t, name, v)
    def __delattr__(self, name): print("del", name)
    def __dir__(self): return ["b", "a"]
class T: x = 1
p = Proxy(T())
p.x, setattr(p, "y", 2), p.y, dir(p)
# --- cell
del p.y
p.zzz
# --- cell
class All:
    def __getattribute__(self, n): return f"any {n}"
All().whatever, All().__class__
