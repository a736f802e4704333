from dataclasses import dataclass, FrozenInstanceError, KW_ONLY, InitVar, field

@dataclass(frozen=True, slots=True)
class P:
    x: int
    _: KW_ONLY
    y: int = 0

p = P(1, y=2)
print(p, hash(p) == hash(P(1, y=2)), hasattr(p, "__dict__"))
try:
    p.x = 5
except FrozenInstanceError as e:
    print(e)
# --- cell
@dataclass
class Scaled:
    value: int
    factor: InitVar[int] = 1
    result: int = field(init=False, repr=False)

    def __post_init__(self, factor):
        self.result = self.value * factor

Scaled(3, factor=4).result, Scaled(3)
# --- cell
@dataclass
class Bad:
    items: list = []
