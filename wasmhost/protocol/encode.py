"""Values on their way into a guest: JSON with the tags of ``docs/values.md``, bytes as attachments."""

from json.encoder import encode_basestring

from ..errors import ProtocolError
from .values import MAX_SAFE_INTEGER, TAG, BigInt, ErrorValue, Opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DEPTH = 200

# Characters from which on a text crosses as an attachment: escaping it as JSON costs more, on both sides, than the
# copies do.
LONG_TEXT = 4096

_SIMPLE = {None: "null", True: "true", False: "false"}


class Unencodable(ProtocolError):
    """A value that cannot be passed to a guest; the text says which and what to do."""


def encode(value: "Any", attachments: list[bytes] | None = None) -> str:
    """JSON text for a value; bytes and long texts in it are appended to ``attachments``. Without these it is all in the
    JSON, where bytes have no place.

    Raises:
        Unencodable: of a type that is not in the table, nested too deep, or cyclic.
    """
    kind = type(value)
    if kind is str and (attachments is None or len(value) < LONG_TEXT):
        return _string(value)
    if kind is int:
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return str(value)
    elif value is None or kind is bool:
        return _SIMPLE[value]
    try:
        return _Encoder(attachments).encode(value, MAX_DEPTH)
    except RecursionError:
        raise Unencodable(f"nested deeper than {MAX_DEPTH}, or a cycle") from None


def utf8(text: str) -> bytes:
    """JSON text as it is sent: lone surrogates, which can only lie in strings, as escapes."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join([f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text]).encode()


def _string(value: str) -> str:
    # Quotes and control characters escaped, the rest as it is: half the size of ASCII escapes, and faster.
    return encode_basestring(value)


class _Encoder:
    def __init__(self, attachments: list[bytes] | None) -> None:
        self.attachments: list[bytes] | None = attachments

    def encode(self, value: "Any", left: int) -> str:
        kind = type(value)
        if kind is str:
            return _string(value) if len(value) < LONG_TEXT else self._long_text(value)
        if value is None or kind is bool:
            return _SIMPLE[value]
        if kind is int:
            if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
                return str(value)
            return self._tag("int", f'"{value:#x}"')
        if kind is float:
            return self._float(value)
        if left == 0:
            raise Unencodable(f"nested deeper than {MAX_DEPTH}, or a cycle")
        left -= 1
        if kind is list:
            return f"[{','.join([self.encode(item, left) for item in value])}]"
        if kind is dict:
            return self._dict(value, left)
        return self._other(value, left)

    def _tag(self, name: str, inside: str) -> str:
        return f'{{"{TAG}":"{name}","v":{inside}}}'

    def _float(self, value: float) -> str:
        if value != value:
            return self._tag("float", '"NaN"')
        if value in (float("inf"), float("-inf")):
            return self._tag("float", '"Infinity"' if value > 0 else '"-Infinity"')
        text = repr(value)
        return self._tag("float", '"-0"') if text == "-0.0" else text

    def _list(self, items: "Any", left: int) -> str:
        return f"[{','.join([self.encode(item, left) for item in items])}]"

    def _dict(self, value: "dict[Any, Any]", left: int) -> str:
        if all(type(key) is str for key in value):
            made = f"{{{','.join([f'{_string(key)}:{self.encode(item, left)}' for key, item in value.items()])}}}"
            return self._tag("object", made) if TAG in value else made
        pairs = [f"[{self.encode(key, left)},{self.encode(item, left)}]" for key, item in value.items()]
        return self._tag("map", f"[{','.join(pairs)}]")

    def _long_text(self, value: str) -> str:
        if self.attachments is None:
            return _string(value)
        try:
            return self._attach("text", value.encode())
        except UnicodeEncodeError:  # lone surrogates
            return _string(value)

    def _attach(self, tag: str, data: bytes, extra: str = "") -> str:
        if self.attachments is None:
            raise Unencodable("bytes cannot be passed here")
        self.attachments.append(data)
        return f'{{"{TAG}":"{tag}",{extra}"at":{len(self.attachments) - 1}}}'

    def _other(self, value: "Any", left: int) -> str:
        import datetime
        from array import array
        from decimal import Decimal
        from enum import Enum
        from fractions import Fraction
        from uuid import UUID

        if isinstance(value, Enum):
            return self.encode(value.value, left)
        if isinstance(value, BigInt):
            return self._tag("bigint", f'"{int(value):#x}"')
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._attach("bytearray" if isinstance(value, bytearray) else "bytes", bytes(value))
        if isinstance(value, array):
            kind = ("f" if value.typecode in "fd" else "i" if value.typecode.islower() else "u") + str(value.itemsize)
            return self._attach("array", value.tobytes(), f'"type":"{kind}",')
        for base, name in ((tuple, "tuple"), (set, "set"), (frozenset, "frozenset")):
            if isinstance(value, base):
                return self._tag(name, self._list(value, left))
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            name = "datetime" if isinstance(value, datetime.datetime) else type(value).__name__
            return self._tag(name, _string(value.isoformat()))
        if isinstance(value, datetime.timedelta):
            return self._tag("timedelta", f"[{value.days},{value.seconds},{value.microseconds}]")
        if isinstance(value, (Decimal, Fraction, UUID)):
            return self._tag(type(value).__name__.lower(), _string(str(value)))
        if isinstance(value, complex):
            return self._tag("complex", f"[{self._float(value.real)},{self._float(value.imag)}]")
        if isinstance(value, Opaque):
            return f'{{"{TAG}":"opaque","type":{_string(value.type)},"v":{_string(value.text)}}}'
        if isinstance(value, (ErrorValue, BaseException)):
            error = value if isinstance(value, ErrorValue) else ErrorValue(type(value).__name__, str(value))
            return f'{{"{TAG}":"error","type":{_string(error.type)},"message":{_string(error.message)}}}'
        return self._subclass(value, left)

    def _subclass(self, value: "Any", left: int) -> str:
        """Subclasses of the basic types, and objects that have fields."""
        if isinstance(value, str):
            return self.encode(str.__str__(value), left)
        basics: tuple[Any, ...] = (int, float, list, dict)
        for basic in basics:
            if isinstance(value, basic):
                return self.encode(basic(value), left + 1)
        dump = getattr(value, "model_dump", None)
        if dump is not None and not isinstance(value, type):
            return self.encode(dump(), left)
        fields = getattr(value, "__dataclass_fields__", None)
        if fields is not None and not isinstance(value, type):
            return self.encode({name: getattr(value, name) for name in fields}, left)
        raise Unencodable(f"a value of type {type(value).__name__} cannot be passed to a guest (docs/values.md)")
