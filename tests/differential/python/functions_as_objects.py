def f(a: int, b: str = "x") -> bool:
    "doc"
    return True
f.tag = 1
f.__name__, f.__doc__, f.__annotations__, f.__defaults__, f.__dict__, f.__module__, f.__qualname__, f.__code__.co_varnames, f.__code__.co_firstlineno
# --- cell
class A:
    def m(self): return self
    @staticmethod
    def s(): return "s"
    @classmethod
    def c(cls): return cls.__name__
A().m.__func__ is A.m, A.s(), A.c(), A().c.__self__ is A, A.m.__qualname__
# --- cell
f.__code__ = (lambda a, b=None: "replaced").__code__
f(1), f.__defaults__
# --- cell
f()
# --- cell
(lambda: 0).__name__, (lambda *a, **k: (a, k))(1, b=2), (lambda x: (lambda y: x + y))(1)(2), [(lambda: 1).__qualname__]
# --- cell
A.m()
