x = 1
def f():
    del x
f()
# --- cell
del x
x
# --- cell
def g():
    global made
    made = "global"
g(); made
# --- cell
a = [1, 2, 3]; b = {"k": 1}
del a[0], b["k"]
a, b
# --- cell
del undefined_thing
# --- cell
class C: y = 1
del C.y
C.y
