# mechanism: stack that is too small
# kind: deep
# ends: value error stack crash memory

def f(a): return [a, a, a, a, a, a, a, a]
f.__code__ = f.__code__.replace(co_stacksize=1)
f(1)
