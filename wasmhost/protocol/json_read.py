"""Values back from strict JSON (``docs/values.md``, last column): the inverse of ``json_text.jsonable``, for what comes
from files, models and other programs. Hostile like everything else: nothing is imported by name, sizes and depth are
bounded."""

import json
from base64 import b64decode
from typing import Any

from .digits import from_digits
from .values import (
    MAX_DECIMAL_CHARS,
    MAX_DECIMAL_EXPONENT,
    MAX_INTEGER_BITS,
    TAG,
    BigInt,
    ErrorValue,
    Opaque,
    can_be_keys,
)

MAX_DEPTH = 200


class NotStrict(ValueError):
    """Not strict JSON, or a tagged value that is damaged; the text says which."""


def _constant(word: str) -> Any:
    raise NotStrict(f"{word} is no JSON")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NotStrict("a key stands twice in an object")
    return made


def loads(text: str | bytes) -> Any:
    """One strict JSON text: no NaN, no key twice, nothing deeper than Python's own stack.

    Raises:
        NotStrict: anything else.
    """
    try:
        return json.loads(text, parse_constant=_constant, object_pairs_hook=_pairs)
    except NotStrict:
        raise
    except RecursionError:
        raise NotStrict("nested too deep") from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, an integer of too many digits
        raise NotStrict(f"not JSON: {str(error)[:200]}") from None


def check_plain(value: Any, what: str, left: list[int]) -> None:
    """Checks that a value is made of what JSON has, at most ``MAX_DEPTH`` deep. ``left[0]``: how much there may still
    be, in characters and members; it is counted down.

    Raises:
        NotStrict: it is not.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            left[0] -= 1
            if kind is str:
                left[0] -= len(item)
            elif kind is dict:
                for key in item:
                    if type(key) is not str:
                        raise NotStrict(f"{what}: a key is {type(key).__name__} and no text")
                    left[0] -= len(key)
                below += item.values()
            elif kind is list:
                below += item
            elif not (item is None or kind is bool or kind is int or (kind is float and item - item == 0)):
                raise NotStrict(f"{what}: {kind.__name__} is nothing that JSON has")
            if left[0] < 0:
                raise NotStrict("there is more than may be read at a time")
        if not below:
            return
        level = below
    raise NotStrict(f"{what}: nested deeper than {MAX_DEPTH}")


def value_of(value: Any) -> Any:
    """The Python value of a JSON value with tagged objects in it.

    Raises:
        NotStrict: a tag that is not in the table, or a tagged value that is damaged.
    """
    try:
        return _value(value)
    except NotStrict:
        raise
    except RecursionError:
        raise NotStrict("nested too deep") from None
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise NotStrict(f"a tagged value is damaged: {type(error).__name__}") from None


def _value(value: Any) -> Any:
    if type(value) is list:
        return [_value(item) for item in value]
    if type(value) is not dict:
        return value
    if TAG not in value:
        return {key: _value(item) for key, item in value.items()}
    return _tagged(value)


def _text(item: dict[str, Any], key: str = "v") -> str:
    text = item[key]
    if type(text) is not str:
        raise TypeError(key)
    return text


def _integer(text: str, kind: type[int]) -> Any:
    digits = text.removeprefix("-")
    if len(digits) > MAX_INTEGER_BITS // 4 and digits.isascii() and digits.isdigit():
        return Opaque(kind.__name__.lower(), text)
    return kind(from_digits(text))


def _tagged(item: dict[str, Any]) -> Any:
    from datetime import date, datetime, time, timedelta
    from fractions import Fraction
    from uuid import UUID

    tag = item[TAG]
    inner = item.get("v")
    if tag == "int" or tag == "bigint":
        return _integer(_text(item), BigInt if tag == "bigint" else int)
    if tag == "float":
        return {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf"), "-0": -0.0}[_text(item)]
    if tag == "str":
        units = b"".join(int(unit).to_bytes(2, "little") for unit in _members(inner))
        return units.decode("utf-16-le", "surrogatepass")
    if tag == "object":
        if type(inner) is not dict:
            raise TypeError("v")
        return {key: _value(each) for key, each in inner.items()}
    if tag == "map":
        pairs = [(_value(key), _value(each)) for key, each in _members(inner)]
        return dict(pairs) if can_be_keys([key for key, _ in pairs]) else pairs
    if tag == "bytes" or tag == "bytearray":
        data = b64decode(_text(item), validate=True)
        return bytearray(data) if tag == "bytearray" else data
    if tag == "tuple":
        return tuple(_value(each) for each in _members(inner))
    if tag == "set" or tag == "frozenset":
        members = [_value(each) for each in _members(inner)]
        if not can_be_keys(members):
            return members
        return frozenset(members) if tag == "frozenset" else set(members)
    if tag == "array":
        return _array(item)
    if tag in ("datetime", "date", "time"):
        kinds: dict[str, Any] = {"datetime": datetime, "date": date, "time": time}
        return kinds[tag].fromisoformat(_text(item))
    if tag == "timedelta":
        days, seconds, microseconds = _members(inner)
        return timedelta(days, seconds, microseconds)
    if tag == "decimal":
        return _decimal(_text(item))
    if tag == "fraction":
        if len(_text(item)) > 4_000:
            raise ValueError("v")
        numerator, _, denominator = _text(item).partition("/")
        return Fraction(int(numerator), int(denominator or "1"))
    if tag == "complex":
        real, imaginary = (_value(part) for part in _members(inner))
        return complex(real, imaginary)
    if tag == "uuid":
        return UUID(_text(item))
    if tag == "error":
        return ErrorValue(_text(item, "type"), _text(item, "message"))
    if tag == "opaque":
        return Opaque(_text(item, "type"), _text(item))
    raise NotStrict(f"a tagged value of the unknown kind {str(tag)[:40]!r}")


def _members(inner: Any) -> list[Any]:
    if type(inner) is not list:
        raise TypeError("v")
    return inner


def _array(item: dict[str, Any]) -> Any:
    from array import array

    kind = _text(item, "type")
    code = {
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
    return array(code[kind], [_value(each) for each in _members(item.get("v"))])


def _decimal(text: str) -> Any:
    from decimal import Decimal

    if len(text) > MAX_DECIMAL_CHARS:
        return Opaque("Decimal", text)
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > MAX_DECIMAL_EXPONENT:
        return Opaque("Decimal", text)
    return number
