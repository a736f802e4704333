assert 1 + 1 == 2
assert (n := 5) > 3, "not reached"
n
# --- cell
assert [] , f"empty: {n}"
# --- cell
assert (
    n ==
    6
)
# --- cell
def check(x):
    assert isinstance(x, int), ("tuple", x)
check("a")
