import weakref, gc
class S:
    __slots__ = ("a", "__weakref__")
s = S()
s.a = 1
r = weakref.ref(s)
r() is s, hasattr(s, "__dict__")
# --- cell
s.b = 2
# --- cell
class Tracked:
    def __del__(self): print("deleted")
t = Tracked()
weakref.finalize(t, print, "finalized")
del t
# --- cell
cache = weakref.WeakValueDictionary()
k = Tracked()
cache["k"] = k
len(cache), cache["k"] is k
# --- cell
del k
gc.collect() >= 0, len(cache)
