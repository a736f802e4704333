def lcs(a, b):
    t = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i+1][j+1] = t[i][j] + x if x == y else max(t[i+1][j], t[i][j+1], key=len)
    return t[-1][-1]
lcs("AGGTAB", "GXTXAYB")
# --- cell
def knapsack(items, cap):
    best = [0] * (cap + 1)
    for w, v in items:
        for c in range(cap, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best[cap]
knapsack([(1, 1), (3, 4), (4, 5), (5, 7)], 7)
# --- cell
from functools import cache
@cache
def edit(a, b):
    if not a or not b: return len(a) + len(b)
    return min(edit(a[1:], b) + 1, edit(a, b[1:]) + 1, edit(a[1:], b[1:]) + (a[0] != b[0]))
edit("kitten", "sitting"), edit.cache_info().currsize > 10
