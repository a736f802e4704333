# mechanism: isinstance
# kind: deep
# ends: error

x = ()
for _ in range(10**5): x = (x,)
isinstance(1, x)
