def queens(n, row=0, cols=()):
    if row == n: return 1
    return sum(queens(n, row + 1, cols + (c,)) for c in range(n) if all(c != d and abs(c - d) != row - r for r, d in enumerate(cols)))
[queens(n) for n in range(1, 7)]
# --- cell
def subsets(xs):
    if not xs: return [[]]
    rest = subsets(xs[1:])
    return rest + [[xs[0]] + r for r in rest]
subsets([1, 2, 3])
# --- cell
def solve(words, result):
    from itertools import permutations
    letters = sorted({c for w in (*words, result) for c in w})
    for p in permutations(range(10), len(letters)):
        m = dict(zip(letters, p))
        if any(m[w[0]] == 0 for w in (*words, result)): continue
        n = [int("".join(str(m[c]) for c in w)) for w in (*words, result)]
        if sum(n[:-1]) == n[-1]: return n
solve(["AB", "AB"], "CA") or solve(["A", "B"], "CA")
