"""Calls of host functions, and values that come from the host. The messages are told in wasmhost_abi.h."""

import _json
import array
import asyncio
import asyncio.events
import base64
import collections.abc
import datetime
import decimal
import fractions
import types
import uuid

BLOCKING, START, CANCEL, TOOL, HANDLED, DROPPED = range(6)
MARK = "$wasmhost"
_unhexlify = base64.b64decode
_running_loop = asyncio.events._get_running_loop
_ask = native.call
_mark_called = native.mark_called
_next_id = 0
_started = {}  # id: (future, call)
_dropped = []  # names of calls that were never started
MAX_DROPPED = 100  # told to the host


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


ARRAY_CODES = {
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
    "text": lambda tag, attachments: str(attachments[tag["at"]], "utf-8"),
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


# ---- failures ------------------------------------------------------------------------------------------------------------


class CallError(Exception):
    """A host function has failed."""


CallError.__module__ = "builtins"


KINDS = {cls.__name__: cls for cls in __builtins__.values() if isinstance(cls, type) and issubclass(cls, Exception)}


def failure(error, tool):
    """The exception for {"type", "message", "call"}: the builtin of that name where there is one, else CallError."""
    if type(error) is not dict:
        error = {"message": str(error)}
    name, message = str(error.get("type", "CallError")), str(error.get("message", ""))
    try:
        exc = KINDS[name](message)
    except (KeyError, TypeError):  # not a builtin, or one that wants more than a message
        exc = CallError(message if name == "CallError" else f"{name}: {message}")
    exc.tool, exc.call_id = tool.name, error.get("call")
    exc.add_note(f"in the call of {tool.path}" + (f" (call {exc.call_id})" if exc.call_id else ""))
    return exc


# ---- calls ----------------------------------------------------------------------------------------------------------------


def blocking(tool, args, kwargs):
    """Calls the host function and waits for its answer in place."""
    head, attachments = _ask(BLOCKING, [tool.name, [*args], kwargs])
    ok, value, *seed = decode(head, attachments)
    if seed:
        native.reseed(bytes.fromhex(seed[0]))
    if ok:
        return value
    raise failure(value, tool)


class UnawaitedCall(collections.abc.Coroutine):
    """A call of a tool. It starts when it is first awaited, or when a task of it begins."""

    __slots__ = ("__weakref__", "_args", "_kwargs", "_steps", "_tool")

    def __init__(self, tool, args, kwargs):
        self._tool, self._args, self._kwargs = tool, args, kwargs
        self._steps = None

    def __await__(self):
        if self._steps is not None:
            raise RuntimeError(
                f"this call of {self._shown()} has been awaited already: keep its result, or call again"
            )
        self._steps = steps = self._begin()
        return steps

    def _begin(self):
        return _run(self._tool, self._args, self._kwargs)

    def _shown(self):
        return self._tool.path

    def send(self, value):
        return (self._steps or self.__await__()).send(value)

    def throw(self, *args):
        return (self._steps or self.__await__()).throw(*args)

    def close(self):
        if self._steps is None:
            _drop(self)
            self._steps = ()
        elif self._steps:
            self._steps.close()

    def __del__(self):
        if self._steps is None:
            _drop(self)

    @property
    def __name__(self):
        return self._tool.name

    def __repr__(self):
        return f"<call of {self._shown()}, {'not awaited' if self._steps is None else 'awaited'}>"

    def _misused(self, *args):
        path = self._shown()
        raise TypeError(f"the result of {path} is used before it is there: write `await {path}(...)`")

    __str__ = __format__ = __add__ = __radd__ = __mod__ = __rmod__ = __mul__ = __getitem__ = __iter__ = __len__ = (
        _misused
    )
    __int__ = __float__ = __contains__ = __bool__ = _misused


# The messages of join(), of json and of the interpreter name the type.
UnawaitedCall.__module__ = "builtins"
UnawaitedCall.__name__ = UnawaitedCall.__qualname__ = "un-awaited call of a tool"


def _drop(call):
    if len(_dropped) < MAX_DROPPED:
        _dropped.append(call._tool.name)
    _mark_called()


def _run(tool, args, kwargs):
    """Starts the call; where the host does not answer at once, its answer comes in wh_resume."""
    global _next_id
    loop = _running_loop()
    if loop is not native.loop.session:
        return blocking(tool, args, kwargs)  # a nested loop cannot return to the host
    _next_id = number = _next_id + 1
    reply = _ask(START, [number, tool.name, [*args], kwargs])
    if reply is not None:
        ok, value = decode(*reply)
        if ok:
            return value
        raise failure(value, tool)
    future = asyncio.Future(loop=loop)
    _started[number] = future, tool
    native.add_pending(1)
    try:
        return (yield from future)
    finally:
        if _started.pop(number, None) is not None:  # left before the answer came
            native.add_pending(-1)
            _ask(CANCEL, [number])


def settle(data):
    """Input of wh_resume. Returns (type, message) when the cell must end, else None."""
    message = decode(*native.unpack(data))
    if "seed" in message:
        native.reseed(bytes.fromhex(message["seed"]))
    for number, ok, value in message.get("settle", ()):
        future, tool = _started.pop(number, (None, None))
        if future is None:
            continue
        native.add_pending(-1)
        if future.done():
            continue
        if ok:
            future.set_result(value)
        else:
            future.set_exception(failure(value, tool))
    for number, name, value in message.get("run", ()):
        native.registered.run(number, name, value)
    cancel = message.get("cancel")
    return None if cancel is None else (str(cancel.get("type", "CancelledError")), str(cancel.get("message", "")))


ENDED = "the call was not awaited before its cell ended"


def calls_end():
    """The host cancels what is in flight at the end of a cell; tasks that wait for it fail."""
    for future, tool in list(_started.values()):
        if not future.done():
            future.set_exception(failure({"message": ENDED}, tool))
            future._log_traceback = False
    _started.clear()
    if _dropped:
        names = _dropped[:]
        _dropped.clear()
        _ask(DROPPED, names)


native.bind("settle", settle)
native.bind("calls_end", calls_end)
