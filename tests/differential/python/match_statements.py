def kind(value):
    match value:
        case 0 | 1:
            return "small"
        case int(n) if n < 0:
            return f"negative {n}"
        case [x, y, *rest]:
            return f"sequence {x} {y} {rest}"
        case {"type": "point", "x": x, **others}:
            return f"point {x} {others}"
        case str() as s:
            return f"text {s!r}"
        case (a,):
            return f"one {a}"
        case None:
            return "none"
        case float(real=r):
            return f"float {r}"
        case _:
            return "other"

[kind(v) for v in (0, -5, [1, 2, 3], (1, 2), {"type": "point", "x": 3, "y": 4}, "s", [9], None, 2.5, {1})]
# --- cell
class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y

match P(1, 2):
    case P(1, y=z):
        print("matched", z)
