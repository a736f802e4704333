# mechanism: delegation
# kind: deep
# ends: error

def f(n): yield from f(n + 1)
list(f(0))
