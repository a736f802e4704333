import numbers
from collections.abc import Mapping, Iterable, Hashable, Sequence, Callable
isinstance(1, numbers.Integral), isinstance(1.0, numbers.Rational), isinstance([], Sequence), isinstance({}, Mapping), isinstance([], Hashable), isinstance(len, Callable), issubclass(str, Iterable)
# --- cell
class M(Mapping):
    def __getitem__(self, k): return k * 2
    def __iter__(self): return iter("ab")
    def __len__(self): return 2
m = M(); dict(m), list(m.items()), "a" in m, m.get("q"), m == {"a": "aa", "b": "bb"}
# --- cell
class S(Sequence):
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * i
    def __len__(self): return 3
list(S()), S().index(4), S().count(1), list(reversed(S())), 1 in S()
# --- cell
Mapping()
