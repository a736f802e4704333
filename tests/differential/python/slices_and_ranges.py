r = range(10, 0, -3)
list(r), len(r), r[1], r[-1], 4 in r, 5 in r, r[::2], r == range(10, 1, -3), r.index(7), range(0), bool(range(0))
# --- cell
slice(1, 10, 2).indices(5), "abcdef"[slice(None, None, -2)], [1, 2, 3][-100:100], "abc"[3:], range(3)[::-1]
# --- cell
range(1, 2, 0)
# --- cell
range(3)[7]
# --- cell
class Grid:
    def __getitem__(self, key): return key
Grid()[1:2, ..., None, ::3], Grid()[1], Grid()[*range(2), 5]
# --- cell
len(range(10**9)), range(10**30)[-1]
