# mechanism: nested dicts let go
# kind: deep
# ends: value error

x = {}
for _ in range(10**5): x = {1: x}
del x
