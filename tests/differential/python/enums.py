from enum import Enum, IntEnum, Flag, StrEnum, auto, unique

class Color(Enum):
    RED = 1
    GREEN = auto()
    ALIAS = 1

    @property
    def pretty(self):
        return self.name.title()

print(Color.RED, repr(Color.GREEN), Color.ALIAS is Color.RED, Color(2), Color["RED"])
list(Color), Color.GREEN.pretty, Color.__members__.keys()
# --- cell
class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()

Perm.R | Perm.X, ~Perm.W, Perm.R in (Perm.R | Perm.W), list(Perm.R | Perm.X), Perm(0)
# --- cell
class Level(StrEnum):
    LOW = auto()
    HIGH = auto()

f"{Level.LOW}", Level.HIGH == "high", Level("low")
# --- cell
Color(9)
# --- cell
@unique
class Twice(IntEnum):
    A = 1
    B = 1
