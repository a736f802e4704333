# mechanism: two functions
# kind: deep
# ends: error

def f(): g()
def g(): f()
f()
