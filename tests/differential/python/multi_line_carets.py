total = sum([
    1,
    2 / 0,
])
# --- cell
def f(a, b): return a + b
f(
    1,
    "x",
)
# --- cell
d = {"key": None}
value = (
    d["key"]
    .upper()
)
# --- cell
assert all([
    True,
    False]), (
    "message over "
    "two lines")
# --- cell
x = """text
over lines""" + 5
