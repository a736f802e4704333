# mechanism: classes
# kind: deep
# ends: error

A = object
for _ in range(400): A = type('A', (A,), {'f': lambda self: super(type(self), self).f()})
A().f()
