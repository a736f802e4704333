# mechanism: nested dicts shown
# kind: deep
# ends: error

x = {}
for _ in range(10**5): x = {1: x}
repr(x)
