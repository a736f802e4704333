# mechanism: search in a range
# kind: endless
# ends: soft hard

class A(int): pass
-1.5 in range(10 ** 18)
