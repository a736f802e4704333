import typing
from typing import Optional, get_type_hints

class Node:
    parent: "Optional[Node]"
    children: "list[Node]"
    size: int = 0

def walk(node: "Node", depth: int = 0) -> "typing.Iterator[Node]": ...
# --- cell
get_type_hints(Node), get_type_hints(walk)
# --- cell
typing.get_origin(dict[str, int]), typing.get_args(typing.Union[int, None]), int | None
# --- cell
x: int = 3
__annotations__
