import gc, weakref
class Node:
    def __init__(self): self.me = self
n = Node(); r = weakref.ref(n, lambda ref: print("collected"))
del n
r() is None, gc.collect() > 0, r() is None
# --- cell
gc.isenabled(), gc.get_threshold()[0] > 0, gc.is_tracked([]), gc.is_tracked(1)
# --- cell
class D:
    def __del__(self): raise ValueError("in del")
D()
"goes on"
