# mechanism: cycle as the value
# kind: deep
# ends: value error

x = []
x.append(x)
x
