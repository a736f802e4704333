class Plugin:
    found = []
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.found.append((cls.__name__, key))

class One(Plugin, key="1"): pass
class Two(One): pass
Plugin.found
# --- cell
class Generic2:
    def __class_getitem__(cls, item): return f"{cls.__name__}<{item}>"
Generic2[int], Generic2["x", 1]
# --- cell
class Odd(Plugin, wrong=1): pass
