# mechanism: exception groups
# kind: deep
# ends: error

e = ValueError()
for _ in range(10**5): e = ExceptionGroup('', [e])
e.split(KeyError)
