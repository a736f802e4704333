def add(item, to=[]):
    to.append(item)
    return to

add(1), add(2), add.__defaults__
# --- cell
def kw(a, /, b, *, c=3, **d):
    return a, b, c, d

kw(1, b=2, a=9), kw.__kwdefaults__
# --- cell
kw(1, 2, 3)
# --- cell
kw(b=1)
# --- cell
kw(1, 2, b=3)
