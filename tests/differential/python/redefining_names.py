def f(): return 1
class C: v = 1
c = C()
# --- cell
def f(): return 2
class C: v = 2
f(), C().v, c.v, isinstance(c, C)
# --- cell
f = 3
C = None
f, C, type(c).__name__
# --- cell
list = [1]
len = 5
list, len
# --- cell
del list, len
list("ab"), len("ab")
