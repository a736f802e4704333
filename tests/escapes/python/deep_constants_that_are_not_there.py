# mechanism: constants that are not there
# kind: deep
# ends: value error stack crash memory

def f(): return 1
f.__code__ = f.__code__.replace(co_consts=())
f()
