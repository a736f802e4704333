# mechanism: text of a shared structure
# kind: memory
# ends: soft hard error

x = []
for _ in range(60): x = [x, x]
len(repr(x))
