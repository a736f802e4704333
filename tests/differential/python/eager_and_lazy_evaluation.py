def noisy(x):
    print("eval", x)
    return x
noisy(0) and noisy(1), noisy(1) or noisy(2)
# --- cell
g = (noisy(x) for x in range(3))
next(g), "paused"
# --- cell
[*map(noisy, [7])], any(noisy(x) for x in (0, 5, 6))
# --- cell
def f(x=noisy("default")): return x
f(), f()
# --- cell
noisy(1) < noisy(5) < noisy(3) < noisy(9)
# --- cell
{noisy("k"): noisy("v")}, noisy([1, 2])[noisy(0)]
# --- cell
a = [0, 0]; i = 0
i, a[i] = 1, 9
a
