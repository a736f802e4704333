# mechanism: hand-made bytecode
# kind: deep
# ends: value error stack crash memory

def f(): pass
f.__code__ = f.__code__.replace(co_code=bytes(range(1, 255)) * 4, co_stacksize=9)
f()
