from typing import Annotated, Literal, NamedTuple, TypedDict, Protocol, runtime_checkable, NewType, TypeVar, Generic, get_type_hints

class Movie(TypedDict, total=False):
    title: str
    year: int

class Pair(NamedTuple):
    left: int
    right: str = "r"

    def swapped(self):
        return Pair(self.right, self.left)

Pair(1).swapped(), Pair._fields, Movie(title="x"), sorted(Movie.__optional_keys__)
# --- cell
@runtime_checkable
class Sized2(Protocol):
    def size(self) -> int: ...

class Box:
    def size(self): return 1

isinstance(Box(), Sized2), isinstance(3, Sized2)
# --- cell
T = TypeVar("T")
class Stack(Generic[T]):
    pass
Stack[int], Stack[int]().__class__.__name__, Literal["a", 1], Annotated[int, "m"].__metadata__
# --- cell
UserId = NewType("UserId", int)
UserId(5), UserId.__supertype__
