# mechanism: nested dicts as the value
# kind: deep
# ends: value error

x = {}
for _ in range(10**5): x = {'a': x}
x
