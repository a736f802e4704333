a, b = {1, 2, 3}, {2, 3, 4}
a & b, a | b, a - b, a ^ b, a <= b, {2} < a, a.isdisjoint({9}), a.union([7])
# --- cell
a.add(5); a.discard(9); a.remove(1); a.update([8]); sorted(a)
# --- cell
a.remove(100)
# --- cell
{[1]}
# --- cell
frozenset([1, 2]), frozenset() , {frozenset({1}): "k"}, {1, True, 1.0}, set("aa"), {*()}, len({float("nan"), float("nan")})
# --- cell
{1, 2} == frozenset({2, 1}), sorted({3, 1, 2}), {1} | frozenset({2}), type(frozenset() | {1}).__name__
