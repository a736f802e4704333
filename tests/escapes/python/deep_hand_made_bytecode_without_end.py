# mechanism: hand-made bytecode without end
# kind: deep
# ends: value error stack crash memory

def f(): pass
f.__code__ = f.__code__.replace(co_code=b'\x1b\x00' * 9)
f()
