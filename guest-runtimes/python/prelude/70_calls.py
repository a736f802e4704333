"""Calls of host functions, and values that come from the host. The heads of the messages are told in README.md."""

import _json
import array
import asyncio
import base64
import collections
import datetime
import decimal
import fractions
import types
import uuid

BLOCKING, START, CANCEL = 0, 1, 2
MARK = "$wasmhost"
_unhexlify = base64.b64decode
_next_id = 0
_started = {}  # id: future


# ---- values --------------------------------------------------------------------------------------------------------------


class Opaque:
    """A value of the host that has no counterpart here."""

    def __init__(self, type, text):
        self.type, self.text = type, text

    def __repr__(self):
        return f"<{self.type}: {self.text}>"


class RemoteError(Exception):
    """An exception that was passed as a value."""


Opaque.__module__ = RemoteError.__module__ = "builtins"


def _bytes(tag, attachments):
    return attachments[tag["at"]] if "at" in tag else _unhexlify(tag["v"])


ARRAY_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}


def _array(tag, attachments):
    code = ARRAY_CODES[tag["type"]]
    return array.array(code, attachments[tag["at"]] if "at" in tag else tag["v"])


def _int(text):
    return int(text, 16) if "0x" in text else int(text)


READERS = {
    "int": lambda tag, _: _int(tag["v"]),
    "bigint": lambda tag, _: _int(tag["v"]),
    "float": lambda tag, _: float(tag["v"]),
    "str": lambda tag, _: b"".join(n.to_bytes(2, "little") for n in tag["v"]).decode("utf-16-le", "surrogatepass"),
    "tuple": lambda tag, _: tuple(tag["v"]),
    "set": lambda tag, _: set(tag["v"]),
    "frozenset": lambda tag, _: frozenset(tag["v"]),
    "map": lambda tag, _: dict(tag["v"]),
    "bytes": _bytes,
    "bytearray": lambda tag, attachments: bytearray(_bytes(tag, attachments)),
    "array": _array,
    "datetime": lambda tag, _: datetime.datetime.fromisoformat(tag["v"]),
    "date": lambda tag, _: datetime.date.fromisoformat(tag["v"]),
    "time": lambda tag, _: datetime.time.fromisoformat(tag["v"]),
    "timedelta": lambda tag, _: datetime.timedelta(*tag["v"]),
    "decimal": lambda tag, _: decimal.Decimal(tag["v"]),
    "fraction": lambda tag, _: fractions.Fraction(tag["v"]),
    "complex": lambda tag, _: complex(*tag["v"]),
    "uuid": lambda tag, _: uuid.UUID(tag["v"]),
    "error": lambda tag, _: RemoteError(f"{tag['type']}: {tag['message']}"),
    "opaque": lambda tag, _: Opaque(tag["type"], tag["v"]),
}


def _scanner(hook):
    """A JSON scanner of C that asks nothing of the json module, which a cell may have changed."""
    context = types.SimpleNamespace(
        strict=False,
        object_hook=hook,
        object_pairs_hook=None,
        parse_float=float,
        parse_int=int,
        parse_constant={"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__,
    )
    return _json.make_scanner(context)


_plain = _scanner(None)


def decode(text, attachments=()):
    if f'"{MARK}"' not in text:
        return _plain(text, 0)[0]

    return _revive(_plain(text, 0)[0], attachments)


def _revive(found, attachments):
    """From the outside in, since an escaped object may hold what looks like a tag."""
    if type(found) is list:
        return [_revive(item, attachments) for item in found]
    if type(found) is not dict:
        return found
    tag = found.get(MARK)
    if tag is None or tag == "object":
        return {key: _revive(value, attachments) for key, value in (found if tag is None else found["v"]).items()}
    if type(found.get("v")) is list:
        found["v"] = _revive(found["v"], attachments)
    return READERS[tag](found, attachments)


# ---- calls ----------------------------------------------------------------------------------------------------------------


class CallError(Exception):
    """A host function has failed."""


CallError.__module__ = "builtins"


KINDS = {cls.__name__: cls for cls in __builtins__.values() if isinstance(cls, type) and issubclass(cls, Exception)}


def failure(error):
    """The exception for {"type", "message"}: the builtin of that name where there is one, else CallError."""
    name, message = str(error.get("type", "CallError")), str(error.get("message", ""))
    try:
        return KINDS[name](message)
    except (KeyError, TypeError):  # not a builtin, or one that wants more than a message
        return CallError(message if name == "CallError" else f"{name}: {message}")


def call_blocking(name, args):
    """Calls the host function and waits for its answer in place."""
    head, attachments = native.call(BLOCKING, {"name": name, "args": args})
    ok, value = decode(head, attachments)
    if ok:
        return value
    raise failure(value)


async def call(name, args):
    """Starts the call when first awaited; the host answers in wh_resume."""
    global _next_id
    loop = asyncio.get_running_loop()
    if loop is not native.loop.session:
        return call_blocking(name, args)  # a nested loop cannot return to the host
    _next_id += 1
    number = _next_id
    native.call(START, {"id": number, "name": name, "args": args})
    future = _started[number] = loop.create_future()
    native.add_pending(1)
    try:
        return await future
    finally:
        if _started.pop(number, None) is not None:  # left before the answer came
            native.add_pending(-1)
            native.call(CANCEL, {"id": number})


def settle(data):
    """Input of wh_resume. Returns (type, message) when the cell must end, else None."""
    if data[:4] == b"WHP1":
        head, attachments = native.unpack(data)
    else:
        head, attachments = data.decode("utf-8", "surrogatepass"), ()
    message = decode(head, attachments)
    for number, ok, value in message.get("settle", ()):
        future = _started.pop(number, None)
        if future is None:
            continue
        native.add_pending(-1)
        if future.done():
            continue
        if ok:
            future.set_result(value)
        else:
            future.set_exception(failure(value))
    cancel = message.get("cancel")
    return None if cancel is None else (str(cancel.get("type", "CancelledError")), str(cancel.get("message", "")))


native.bind("settle", settle)
