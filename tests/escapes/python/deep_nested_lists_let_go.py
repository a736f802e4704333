# mechanism: nested lists let go
# kind: deep
# ends: value error

x = []
for _ in range(2 * 10**5): x = [x]
del x
