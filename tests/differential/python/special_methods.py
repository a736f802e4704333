class Vec:
    def __init__(self, *xs): self.xs = xs
    def __repr__(self): return f"Vec{self.xs}"
    def __add__(self, o): return Vec(*(a + b for a, b in zip(self.xs, o.xs)))
    def __mul__(self, k): return Vec(*(a * k for a in self.xs)) if isinstance(k, int) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.xs, o.xs))
    def __neg__(self): return Vec(*(-a for a in self.xs))
    def __eq__(self, o): return isinstance(o, Vec) and self.xs == o.xs
    def __hash__(self): return hash(self.xs)
    def __len__(self): return len(self.xs)
    def __getitem__(self, i): return self.xs[i]
    def __contains__(self, x): return x in self.xs
    def __bool__(self): return any(self.xs)
    def __call__(self, f): return Vec(*map(f, self.xs))
    def __format__(self, spec): return spec.join(map(str, self.xs))
    def __iadd__(self, o): self.xs = tuple(a + 1 for a in self.xs); return self

v = Vec(1, 2)
v + v, 3 * v, v * 2, v @ v, -v, v == Vec(1, 2), len(v), v[0], v[-1:], 2 in v, bool(Vec(0)), v(str), f"{v:/}", list(v)
# --- cell
v += v
v
# --- cell
v * "x"
