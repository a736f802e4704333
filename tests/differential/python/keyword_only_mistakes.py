def f(a, *, b): pass
f(1)
# --- cell
f(1, 2)
# --- cell
f(1, b=2, c=3)
# --- cell
f(*[1, 2, 3], b=1)
# --- cell
f(**{1: 2})
# --- cell
f(1, a=2, b=3)
# --- cell
class A:
    def m(self, x): pass
A().m()
# --- cell
A.m(1)
# --- cell
A(1)
# --- cell
len()
# --- cell
int("1", bas=2)
# --- cell
print(1, sepp=",")
