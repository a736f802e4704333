# mechanism: comparison of lists
# kind: deep
# ends: error

a = []
b = []
a.append(b)
b.append(a)
c = []
d = []
c.append(d)
d.append(c)
a == c
