# mechanism: chain of classes
# kind: deep
# ends: value error

A = object
for _ in range(400): A = type('A', (A,), {})
A
