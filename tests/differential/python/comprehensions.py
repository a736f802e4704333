{x: {y for y in range(x)} for x in range(3)}
# --- cell
[(i, j) for i in range(4) if i % 2 for j in range(i) if j != 1]
# --- cell
[last := n for n in range(5)], last
# --- cell
x = "outer"
inner = [x for x in range(3)]
x, inner
# --- cell
class C:
    n = 3
    squares = [i * i for i in range(n)]
C.squares
# --- cell
sum(n * n for n in range(10) if n & 1)
# --- cell
[[cell for cell in row] for row in zip(*[[1, 2], [3, 4]], strict=True)]
