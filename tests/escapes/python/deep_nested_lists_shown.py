# mechanism: nested lists shown
# kind: deep
# ends: error

x = []
for _ in range(10**5): x = [x]
repr(x)
