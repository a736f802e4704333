"""A value as strict JSON: what the command line, servers and other languages get. Loaded only where such text is
made."""

import json
from base64 import b64encode

from .digits import to_digits
from .values import MAX_SAFE_INTEGER, TAG, BigInt, ErrorValue, Opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dumps(value: "Any") -> str:
    """One line of JSON in ASCII, from what :func:`jsonable` gives."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def clean(text: str) -> str:
    """Text without lone surrogates, which no strict reader takes: each becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def jsonable(value: "Any") -> "Any":
    """The value with tagged objects for what JSON cannot hold (``docs/values.md``, last column).

    Raises:
        TypeError: not a value that a guest can give.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return _string(value)
    if kind is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else {TAG: "int", "v": to_digits(value)}
    if kind is float:
        return _float(value)
    if kind is list:
        return [jsonable(item) for item in value]
    if kind is dict:
        return _dict(value)
    return _other(value)


def jsonable_or_text(value: "Any") -> "Any":
    """:func:`jsonable` for values of the host program, which may be of any type: what is not in the table is its
    text."""
    try:
        return jsonable(value)
    except (TypeError, RecursionError):
        return {TAG: "opaque", "type": type(value).__name__, "v": clean(repr(value)[:10_000])}


def _string(value: str) -> "Any":
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raw = value.encode("utf-16-le", "surrogatepass")
        return {TAG: "str", "v": [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]}
    return value


def _float(value: float) -> "Any":
    if value != value:
        return {TAG: "float", "v": "NaN"}
    if value in (float("inf"), float("-inf")):
        return {TAG: "float", "v": "Infinity" if value > 0 else "-Infinity"}
    if value == 0 and str(value)[0] == "-":
        return {TAG: "float", "v": "-0"}
    return value


def _dict(value: "dict[Any, Any]") -> "Any":
    if all(type(key) is str and clean(key) == key for key in value):
        plain = {key: jsonable(item) for key, item in value.items()}
        return {TAG: "object", "v": plain} if TAG in value else plain
    return {TAG: "map", "v": [[jsonable(key), jsonable(item)] for key, item in value.items()]}


def _other(value: "Any") -> "Any":
    import datetime
    from array import array
    from decimal import Decimal
    from fractions import Fraction
    from uuid import UUID

    if isinstance(value, str):  # a subclass, such as the note of a record that kept no value
        return _string(str.__str__(value))
    if isinstance(value, BigInt):
        return {TAG: "bigint", "v": to_digits(int(value))}
    if isinstance(value, Opaque):
        return {TAG: "opaque", "type": clean(value.type), "v": clean(value.text)}
    if isinstance(value, ErrorValue):
        return {TAG: "error", "type": clean(value.type), "message": clean(value.message)}
    if isinstance(value, (bytes, bytearray)):
        return {TAG: type(value).__name__, "v": b64encode(value).decode()}
    if isinstance(value, (tuple, set, frozenset)):
        return {TAG: type(value).__name__, "v": [jsonable(item) for item in value]}
    if isinstance(value, array):
        kind = ("f" if value.typecode in "fd" else "i" if value.typecode.islower() else "u") + str(value.itemsize)
        return {TAG: "array", "type": kind, "v": [jsonable(item) for item in value]}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return {TAG: type(value).__name__, "v": value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {TAG: "timedelta", "v": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, Fraction):
        whole = value.denominator == 1
        digits = to_digits(value.numerator)
        return {TAG: "fraction", "v": digits if whole else f"{digits}/{to_digits(value.denominator)}"}
    if isinstance(value, (Decimal, UUID)):
        return {TAG: type(value).__name__.lower(), "v": str(value)}
    if isinstance(value, complex):
        return {TAG: "complex", "v": [_float(value.real), _float(value.imag)]}
    raise TypeError(f"a value of type {type(value).__name__} cannot come from a guest")
