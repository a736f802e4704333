class Plain: pass
import re
[1, "a", None, b"x", 2.0, 3j, ..., range(2), slice(1), {1}, frozenset(), (), [], {}, {"a": (1,)}]
# --- cell
Plain, len, int, re.compile("a", re.I), print.__class__, NotImplemented, type, list[int], int | str
# --- cell
class R:
    def __repr__(self): return "multi\nline"
[R(), (R(),)]
# --- cell
class BadRepr:
    def __repr__(self): return 5
try:
    repr(BadRepr())
except TypeError as e:
    print(e)
# --- cell
ValueError("x"), KeyError(1, 2), OSError("msg"), StopIteration(3), ExceptionGroup("g", [ValueError(1)]), UnicodeDecodeError("utf-8", b"x", 0, 1, "why")
# --- cell
import datetime, decimal, collections, pathlib, uuid, enum, array
[datetime.date(2020, 1, 2), decimal.Decimal("1.0"), collections.Counter("a"), pathlib.PurePosixPath("a"), uuid.UUID(int=1), array.array("b", [1]), collections.deque([1])]
