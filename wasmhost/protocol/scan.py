"""Reading the JSON of a frame. Apart from the rest of ``values``, which a cell without tagged values never needs."""

from _json import make_scanner

from ..errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTAINERS = frozenset((list, dict))

_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class TooDeep(ProtocolError):
    """A value nested deeper than whoever reads it takes; nothing else is wrong with it."""


class _Scanner:
    """What the C scanner of the standard library asks for; the ``json`` package itself costs a cold start too much."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _CONSTANTS.__getitem__

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


_scan = make_scanner(_Scanner())  # type: ignore[arg-type]


def parse(text: str) -> "Any":
    """One JSON text, with NaN and the infinities.

    Raises:
        ProtocolError: not JSON, nested too deep, or with an integer of more digits than Python parses.
    """
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ProtocolError("not JSON") from None
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not JSON that can be read: {type(error).__name__}") from None
    if end != len(text):
        raise ProtocolError("more than one JSON text")
    return value


def check_depth(value: "Any", depth: int) -> None:
    """For a parsed value without tags, which :func:`~wasmhost.protocol.values.revive` does not see.

    Raises:
        TooDeep: nested deeper than ``depth`` and what lies around a value.
    """
    level = [value]
    for _ in range(depth + 8):
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) in CONTAINERS
        ]
        if not level:
            return
    raise TooDeep("value nested too deep")
