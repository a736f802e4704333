class A:
    def __add__(self, o): return NotImplemented
    def __lt__(self, o): return NotImplemented
    def __eq__(self, o): return NotImplemented
class B:
    def __radd__(self, o): return "radd"
    def __gt__(self, o): return "gt"
A() + B(), A() < B(), A() == A(), A() != 1
# --- cell
A() + A()
# --- cell
A() < A()
# --- cell
-A()
# --- cell
A()[0]
# --- cell
A()()
# --- cell
len(A())
# --- cell
for _ in A(): pass
# --- cell
with A(): pass
# --- cell
A().x.y
# --- cell
1 in A()
