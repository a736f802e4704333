import copy
class Conn:
    def __init__(self): self.items = [1]
    def __copy__(self): return "shallow"
    def __deepcopy__(self, memo): return "deep"
copy.copy(Conn()), copy.deepcopy([Conn()])
# --- cell
a = [1]; d = {"x": a, "y": a}
e = copy.deepcopy(d); e["x"].append(2); e, d, e["x"] is e["y"]
# --- cell
class R:
    def __reduce__(self): return (complex, (1, 2))
copy.copy(R())
# --- cell
from dataclasses import dataclass
@dataclass
class Pt: x: int; y: int = 0
copy.replace(Pt(1), y=5)
# --- cell
copy.deepcopy((i for i in []))
