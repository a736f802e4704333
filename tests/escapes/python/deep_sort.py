# mechanism: sort
# kind: deep
# ends: error

def k(x): return sorted([2, 1], key=k)
k(1)
