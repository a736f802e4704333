# mechanism: nested tuples hashed
# kind: deep
# ends: value error stack crash memory

x = ()
for _ in range(10**4): x = (x,)
hash(x)
