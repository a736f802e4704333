from dataclasses import dataclass, field, asdict, astuple, replace, fields

@dataclass(order=True)
class Item:
    name: str
    price: float = 1.0
    tags: list[str] = field(default_factory=list, compare=False)

a, b = Item("a"), Item("b", 2.5, ["x"])
print(a, b, a < b, a == Item("a"))
asdict(b), astuple(a)
# --- cell
replace(b, name="c")
# --- cell
[f.name for f in fields(Item)], Item.__match_args__
# --- cell
Item()
