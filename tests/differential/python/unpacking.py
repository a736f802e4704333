a, *b, (c, d), *[] = 1, 2, 3, (4, 5)
print(a, b, c, d)
{**{"a": 1}, "b": 2, **{"a": 3}}, [*range(3), *"xy"], (*(), 1)
# --- cell
def f(*args, **kwargs):
    return args, kwargs

f(*[1], *(2, 3), **{"x": 1}, y=2)
# --- cell
(x, y), z = "ab", "c"
x, y = y, x
x, y, z
# --- cell
a, b = 1, 2, 3
# --- cell
for i, (j, *k) in enumerate([(1, 2, 3), "xyz"]):
    print(i, j, k)
