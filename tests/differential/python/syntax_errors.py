x = (1 +
# --- cell
if True
    pass
# --- cell
print "old"
# --- cell
for = 3
# --- cell
def f(a, a): pass
# --- cell
f"{1 +}"
# --- cell
x = 5 if 3
# --- cell
'unfinished
# --- cell
await = 1
# --- cell
class A:
def f(self): pass
