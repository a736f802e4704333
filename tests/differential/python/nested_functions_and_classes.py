def outer(x):
    class Inner:
        y = x + 1
        def get(self): return x, self.y, __class__.__name__
    return Inner
I = outer(5)
I().get(), I.__qualname__, I
# --- cell
def make():
    def a(n): return n if n <= 0 else b(n - 1)
    def b(n): return a(n)
    return a
make()(5), make().__qualname__
# --- cell
class Outer:
    class In:
        class Deep: v = 1
    x = In.Deep.v
Outer.x, Outer.In.Deep.__qualname__
# --- cell
x = "global"
class Scope:
    x = "class"
    def f(self): return x
    g = lambda self: x
    l = [x for _ in range(1)]
Scope().f(), Scope().g(), Scope.l
