def counter():
    n = 0
    def up(by=1):
        nonlocal n
        n += by
        return n
    return up

c = counter()
c(), c(5), c.__closure__[0].cell_contents
# --- cell
functions = [lambda: i for i in range(3)]
bound = [lambda i=i: i for i in range(3)]
[f() for f in functions], [f() for f in bound]
# --- cell
total = 1
def change():
    global total, fresh
    total, fresh = 2, 3
change()
total, fresh
# --- cell
def late():
    print(value)
    value = 1
late()
