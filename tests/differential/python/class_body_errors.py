class A:
    x = 1
    y = x + undefined_here
# --- cell
class B(A): pass
# --- cell
class C(5): pass
# --- cell
class D:
    __slots__ = ("a",)
    a = 1
# --- cell
class E(int, str): pass
# --- cell
class F:
    def __init__(self): return 5
F()
# --- cell
class G:
    def __new__(cls): return "not an instance"
    def __init__(self): print("not called")
G()
# --- cell
object().x = 1
