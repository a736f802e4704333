# mechanism: function
# kind: deep
# ends: error

def f(): f()
f()
