list(map(lambda a, b: a + b, [1, 2], [3, 4, 5])), list(filter(None, [0, 1, "", "x"])), list(zip("ab", [1, 2])), list(enumerate("ab", 1)), all([]), any([]), sum([[1], [2]], [])
# --- cell
list(zip([1, 2], [3], strict=True))
# --- cell
abs(-3), pow(2, 10), divmod(17, 5), round(3.14159, 3), callable(len), isinstance(1, (str, int)), issubclass(bool, int), type(1).__name__, ord("a"), hash(1) == hash(1.0)
# --- cell
eval("1 + x", {"x": 2}), exec("y = 5") , y
# --- cell
exec("z = 1", ns := {}), sorted(k for k in ns if k != "__builtins__"), compile("1+1", "f", "eval").co_filename
# --- cell
sorted(dir(object()))[:3], vars(type("T", (), {"a": 1})())  , format(3.5, ".2f"), repr([1, "a"]), ascii("é"), bin(5), id(None) == id(None), iter([1]).__length_hint__()
# --- cell
eval("1 +")
# --- cell
print(1, "a", None, [2], sep="-", end=".\n"); print(); print("x", end=""); print(*range(3))
# --- cell
int.__add__(1, 2), str.join(",", "ab"), type(None), NotImplemented, Ellipsis, __debug__
