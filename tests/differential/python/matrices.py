m = [[1, 2], [3, 4]]
mul = lambda a, b: [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
mul(m, m), list(map(list, zip(*m))), [row[::-1] for row in zip(*m)]
# --- cell
from fractions import Fraction
def det(a):
    a, d = [[Fraction(x) for x in r] for r in a], Fraction(1)
    for i in range(len(a)):
        p = next((r for r in range(i, len(a)) if a[r][i]), None)
        if p is None: return 0
        if p != i: a[i], a[p], d = a[p], a[i], -d
        d *= a[i][i]
        for r in range(i + 1, len(a)):
            f = a[r][i] / a[i][i]
            a[r] = [x - f * y for x, y in zip(a[r], a[i])]
    return d
det([[2, 1, 3], [0, -1, 4], [1, 2, 5]]), det([[1, 2], [2, 4]])
# --- cell
for row in m:
    print(" ".join(f"{v:>4}" for v in row))
