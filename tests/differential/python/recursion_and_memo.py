def ackermann(m, n):
    if m == 0: return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))
ackermann(2, 3)
# --- cell
def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
len(hanoi(6)), hanoi(2)
# --- cell
def flatten(x):
    for item in x:
        yield from flatten(item) if isinstance(item, list) else [item]
list(flatten([1, [2, [3, [4, []]]], 5]))
# --- cell
def is_even(n): return n == 0 or is_odd(n - 1)
def is_odd(n): return n != 0 and is_even(n - 1)
is_even(200), is_odd(7)
