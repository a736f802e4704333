"""Values as they come out of a guest, and as JSON for the edges. The table is in ``docs/values.md``.

Everything here treats its input as hostile: digits of integers, exponents, depth and sizes are bounded, nothing is
compiled or imported by a name from the guest, and whatever is not well-formed raises
:class:`~wasmhost.errors.ProtocolError`.
"""

from ..errors import ProtocolError
from .scan import CONTAINERS, TooDeep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TAG = "$wasmhost"

# Bits of an integer that is revived; a larger one stays text. Printing one in decimal takes quadratic time.
MAX_INTEGER_BITS = 1 << 20
# JSON numbers and the text of decimals: beyond it a decimal stays text, since arithmetic on it could fill the memory.
MAX_DECIMAL_CHARS = 10_000
MAX_DECIMAL_EXPONENT = 100_000
# Keys of one hash in a container. Hashes of numbers are no secret, and with n keys of one hash a dict takes n^2 steps.
MAX_EQUAL_HASHES = 32
# Of an integer that shares its hash with another key.
MAX_KEY_BITS = 4096
# What JSON readers in other languages hold exactly (2^53 - 1).
MAX_SAFE_INTEGER = (1 << 53) - 1


class BigInt(int):
    """A JavaScript BigInt: an ``int`` that stays a BigInt on its way back."""

    __slots__ = ()


class Opaque:
    """A guest value that has no counterpart here: the name of its type and the text that shows it."""

    __slots__ = ("text", "type")
    __match_args__ = ("type", "text")

    def __init__(self, type: str, text: str) -> None:
        self.type: str = type
        self.text: str = text

    def __repr__(self) -> str:
        return f"Opaque({self.type!r}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and (self.type, self.text) == (other.type, other.text)

    def __hash__(self) -> int:
        return hash((self.type, self.text))


class ErrorValue:
    """An exception or Error object that is a value: type and message."""

    __slots__ = ("message", "type")
    __match_args__ = ("type", "message")

    def __init__(self, type: str, message: str) -> None:
        self.type: str = type
        self.message: str = message

    def __repr__(self) -> str:
        return f"ErrorValue({self.type!r}, {self.message!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErrorValue) and (self.type, self.message) == (other.type, other.message)

    def __hash__(self) -> int:
        return hash((self.type, self.message))


def revive(value: "Any", attachments: list[bytes], depth: int) -> "Any":
    """The Python value for a parsed one with tagged values inside, which is changed in place.

    Raises:
        ProtocolError: a tag that is not in the table, an attachment in two places, or (TooDeep) nested deeper than
            ``depth``.
    """
    # Level by level and not by recursion: a limit of 200 would need more frames than Python has.
    holder = [value]
    level: list[tuple[Any, Any, Any]] = [(holder, 0, value)] if type(value) in CONTAINERS else []
    tagged: list[tuple[Any, Any, Any]] = []
    # Each level of the guest's value is at most three of JSON (a map is an object with an array of arrays), and the
    # shown text of a cut.
    left = 3 * depth + 8
    while level:
        if left == 0:
            raise TooDeep("value nested too deep")
        left -= 1
        below: list[tuple[Any, Any, Any]] = []
        for place in level:
            container = place[2]
            if type(container) is dict:
                tag = container.get(TAG)
                if tag is not None:
                    tagged.append(place)
                    inner = container.get("v")
                    if tag != "object" or type(inner) is not dict:
                        if type(inner) in CONTAINERS:
                            below.append((container, "v", inner))
                        continue
                    container = inner
                below += [(container, key, item) for key, item in container.items() if type(item) in CONTAINERS]
            elif not CONTAINERS.isdisjoint(map(type, container)):
                below += [(container, i, item) for i, item in enumerate(container) if type(item) in CONTAINERS]
        level = below
    if tagged:
        # Each is for one place: named in a thousand, one would be copied a thousand times.
        unused: list[bytes | None] = [*attachments]
        for parent, key, item in reversed(tagged):
            parent[key] = _read(item, unused)
    return holder[0]


def _read(item: "dict[str, Any]", attachments: "list[bytes | None]") -> "Any":
    """The value of a tagged one; what is inside it was read before."""
    tag = item[TAG]
    reader = _READERS.get(tag) if type(tag) is str else None
    if reader is None:
        raise ProtocolError("unknown tag")
    try:
        return reader(item, attachments)
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise ProtocolError(f"tagged {tag} value is damaged: {type(error).__name__}") from None


def _text(item: "dict[str, Any]", key: str = "v") -> str:
    text = item[key]
    if type(text) is not str:
        raise TypeError(key)
    return text


def _integer(item: "dict[str, Any]", kind: "Callable[[int], Any]") -> "Any":
    text = _text(item)
    if len(text) > MAX_INTEGER_BITS // 4:
        return Opaque("int", f"an integer of about {4 * len(text)} bits")
    return kind(int(text, 16))


def _attachment(item: "dict[str, Any]", attachments: "list[bytes | None]") -> bytes:
    index = item["at"]
    if type(index) is not int or index < 0:
        raise TypeError("at")
    data, attachments[index] = attachments[index], None
    if data is None:
        raise ValueError("at")
    return data


def _members(item: "dict[str, Any]") -> "list[Any]":
    members = item["v"]
    if type(members) is not list:
        raise TypeError("v")
    return members


def _set(item: "dict[str, Any]", kind: "Callable[[list[Any]], Any]") -> "Any":
    members = _members(item)
    return kind(members) if can_be_keys(members) else members


def _map(item: "dict[str, Any]") -> "Any":
    pairs = [(key, value) for key, value in _members(item)]
    return dict(pairs) if can_be_keys([key for key, _ in pairs]) else pairs


def can_be_keys(keys: "list[Any]") -> bool:
    """Whether all can be hashed, and a dict or set of them is made in linear time."""
    counts: dict[int, int] = {}
    most = 1
    try:
        for key in keys:
            hashed = hash(key)
            count = counts[hashed] = counts.get(hashed, 0) + 1
            if count > most:
                if count > MAX_EQUAL_HASHES:
                    return False
                most = count
    except TypeError:
        return False
    return most == 1 or not any(counts[hash(key)] > 1 and _is_slow_to_compare(key) for key in keys)


def _is_slow_to_compare(key: "Any") -> bool:
    """Whether comparing it with a key of the same hash may take seconds, as that of a long integer with a Decimal."""
    parts = [key]
    for part in parts:
        if isinstance(part, (tuple, frozenset)):
            parts += part
        elif isinstance(part, int) and part.bit_length() > MAX_KEY_BITS:
            return True
    return False


def _object(item: "dict[str, Any]") -> "dict[str, Any]":
    inner = item["v"]
    if type(inner) is not dict:
        raise TypeError("v")
    return inner


_ARRAY_CODES = {
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
    "f4": "f",
    "f8": "d",
}


def _array(item: "dict[str, Any]", attachments: "list[bytes | None]") -> "Any":
    import sys
    from array import array

    made = array(_ARRAY_CODES[_text(item, "type")])
    made.frombytes(_attachment(item, attachments))
    if sys.byteorder == "big":
        made.byteswap()
    return made


def _temporal(name: str, item: "dict[str, Any]") -> "Any":
    import datetime

    kind: Any = getattr(datetime, name)
    text = _text(item)
    if len(text) > 64:
        raise ValueError("too long")
    if text.endswith("Z"):
        text = text[:-1] + "+00:00"
    return kind.fromisoformat(text)


def _timedelta(item: "dict[str, Any]") -> "Any":
    from datetime import timedelta

    days, seconds, microseconds = item["v"]
    return timedelta(days, seconds, microseconds)


def _decimal(item: "dict[str, Any]") -> "Any":
    from decimal import Decimal

    text = _text(item)
    if len(text) > MAX_DECIMAL_CHARS:
        return Opaque("Decimal", text)
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > MAX_DECIMAL_EXPONENT:
        return Opaque("Decimal", text)
    return number


def _fraction(item: "dict[str, Any]") -> "Any":
    from fractions import Fraction

    text = _text(item)
    if len(text) > 4000:
        return Opaque("Fraction", text)
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator or "1"))


def _complex(item: "dict[str, Any]") -> complex:
    real, imaginary = item["v"]
    return complex(float(real), float(imaginary))


def _uuid(item: "dict[str, Any]") -> "Any":
    from uuid import UUID

    return UUID(_text(item))


_READERS: "dict[str, Callable[[dict[str, Any], list[bytes | None]], Any]]" = {
    "int": lambda item, attachments: _integer(item, int),
    "bigint": lambda item, attachments: _integer(item, BigInt),
    "bytes": lambda item, attachments: _attachment(item, attachments),
    "bytearray": lambda item, attachments: bytearray(_attachment(item, attachments)),
    "array": lambda item, attachments: _array(item, attachments),
    "tuple": lambda item, attachments: tuple(_members(item)),
    "set": lambda item, attachments: _set(item, set),
    "frozenset": lambda item, attachments: _set(item, frozenset),
    "map": lambda item, attachments: _map(item),
    "object": lambda item, attachments: _object(item),
    "datetime": lambda item, attachments: _temporal("datetime", item),
    "date": lambda item, attachments: _temporal("date", item),
    "time": lambda item, attachments: _temporal("time", item),
    "timedelta": lambda item, attachments: _timedelta(item),
    "decimal": lambda item, attachments: _decimal(item),
    "fraction": lambda item, attachments: _fraction(item),
    "complex": lambda item, attachments: _complex(item),
    "uuid": lambda item, attachments: _uuid(item),
    "error": lambda item, attachments: ErrorValue(_text(item, "type"), _text(item, "message")),
    "text": lambda item, attachments: _attachment(item, attachments).decode(),
    "opaque": lambda item, attachments: Opaque(_text(item, "type"), _text(item)),
}
