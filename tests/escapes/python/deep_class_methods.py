# mechanism: class methods
# kind: deep
# ends: value error stack crash memory

f = print
for _ in range(10**5): f = classmethod(f)
class A: g = f
A.g()
