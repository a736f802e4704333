from functools import *
import operator
reduce(operator.add, [1, 2, 3], 10), partial(int, base=2)("101"), partial(print, 1), cmp_to_key(lambda a, b: b - a)(1) < cmp_to_key(lambda a, b: b - a)(0)
# --- cell
@singledispatch
def show(x): return f"object {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
def _(x): return f"list {len(x)}"
show(1), show([1]), show("s"), show(True)
# --- cell
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
V(1) <= V(1), V(2) > V(1), V(2) >= V(3)
# --- cell
class C:
    calls = 0
    @cached_property
    def heavy(self):
        self.calls += 1
        return self.calls
    @partialmethod
    def nothing(self): pass
c = C(); c.heavy, c.heavy, c.__dict__
# --- cell
@lru_cache(2)
def sq(x): return x * x
[sq(i) for i in (1, 2, 1, 3, 2)], sq.cache_info()
# --- cell
sq([])
