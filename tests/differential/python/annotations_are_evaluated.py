def f(x: 1 + 1, *args: "s") -> [3]: pass
f.__annotations__
# --- cell
class A:
    a: int = 1
    b: print("evaluated")
A.__annotations__, A.a
# --- cell
def g(x: missing): pass
# --- cell
(x): int = 1
y: str
x, __annotations__
