a = [3, 1, 2]
a.sort(reverse=True); a.append(5); a.insert(0, 9); a.extend("xy"); a.pop(1), a
# --- cell
a = list(range(10))
a[2:5] = ["x"]; a[::3] = "abc"; del a[-2:]; a
# --- cell
a[::2] = [1]
# --- cell
[1, 2] + [3], [0] * 3, [1, 2] < [1, 3], [1, [2]] == [1, [2]], [1, 2, 3].index(3), [1, 1].count(1), sorted("bca", key=lambda c: -ord(c)), list(reversed([1, 2]))
# --- cell
sorted([3, "a"])
# --- cell
b = [[0] * 2] * 2; b[0][0] = 1; c = a; c.append(0); a is c, b
# --- cell
[1, 2].pop(5)
# --- cell
x = [1]; x.append(x); x, x[1][1][0]
# --- cell
import operator
sorted([("b", 1), ("a", 2), ("b", 0)], key=operator.itemgetter(0)), min([3, -4, 2], key=abs), max("apple", "fig", key=len), min([], default=None)
