"""Frames: what is passed to a guest to start or resume a cell, and what its answers say."""

from _struct import Struct

from ..errors import ProtocolError
from .scan import check_depth, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

DONE, FAILED, WAITING = 0, 1, 2
FLAG_TAGS, FLAG_TRUNCATED, FLAG_FULL = 1, 2, 4
START_SEED, START_LIVE, START_TOOLS, START_HANDLER, START_TYPESCRIPT, START_LOOK, START_HOLD = 1, 2, 4, 8, 16, 32, 64

_START = Struct("<II32sIIIII")
_NO_SEED = bytes(32)
# Of what `start_head` makes.
HEAD_BYTES = _START.size

# What a guest may say about one error and beside a result; the rest is dropped. Guests bound these themselves, honest
# ones.
MAX_ERROR_CHARS = 1 << 17
MAX_FRAMES = 256
MAX_NOTES = 32
MAX_NOTE_CHARS = 2000


def start_head(
    cell: int,
    flags: int,
    seed: bytes | None,
    value_bytes: int,
    value_depth: int,
    text_chars: int,
    source_len: int,
    tools_len: int = 0,
) -> bytes:
    """``struct wh_start_in`` of the ABI, to be followed by the source and the manifest of the tools."""
    if seed is not None:
        flags |= START_SEED
    if tools_len:
        flags |= START_TOOLS
    return _START.pack(cell, flags, seed or _NO_SEED, value_bytes, value_depth, text_chars, source_len, tools_len)


class StartHead:
    """What :func:`start_head` has put together."""

    __slots__ = ("cell", "flags", "seed", "source_len")

    def __init__(self, cell: int, flags: int, seed: bytes | None, source_len: int) -> None:
        self.cell: int = cell
        self.flags: int = flags
        self.seed: bytes | None = seed
        self.source_len: int = source_len


def read_start_head(head: bytes) -> StartHead:
    """The other way round."""
    cell, flags, seed, _, _, _, source_len, _ = _START.unpack(head)
    return StartHead(cell, flags, seed if flags & START_SEED else None, source_len)


def with_seed(head: bytes, seed: bytes) -> bytes:
    """The same head with another seed in place of the one that it has."""
    cell, flags, _, *rest = _START.unpack(head)
    return _START.pack(cell, flags, seed, *rest)


def with_hold(head: bytes, hold: bool) -> bytes:
    """The same head for a cell whose timers are held, or are not."""
    cell, flags, *rest = _START.unpack(head)
    return _START.pack(cell, flags | START_HOLD if hold else flags & ~START_HOLD, *rest)


class Done:
    """A cell that ended well. ``has_value`` tells a value that is None from no value; ``attachments`` are the bytes
    that lie in it."""

    __slots__ = ("attachments", "has_value", "notes", "truncated", "value", "value_text")

    def __init__(
        self,
        value: "Any",
        value_text: str,
        has_value: bool,
        truncated: bool,
        notes: list[str],
        attachments: "list[bytes] | tuple[()]" = (),
    ) -> None:
        self.value: Any = value
        self.value_text: str = value_text
        self.has_value: bool = has_value
        self.truncated: bool = truncated
        self.notes: list[str] = notes
        self.attachments: list[bytes] | tuple[()] = attachments


class ErrorFrame:
    """One frame of the guest's own code: where, in which function, and the line of source if known. Lines and
    columns count from 1."""

    __slots__ = ("cell", "column", "function", "line", "source")

    def __init__(self, cell: int | None, line: int | None, column: int | None, function: str, source: str) -> None:
        self.cell: int | None = cell
        self.line: int | None = line
        self.column: int | None = column
        self.function: str = function
        self.source: str = source

    def __repr__(self) -> str:
        return f"ErrorFrame({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErrorFrame) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__: "ClassVar[None]" = None  # type: ignore[assignment]


class Failed:
    """A cell that failed, in the guest's own words; ``truncated``: it has cut them."""

    __slots__ = ("frames", "message", "notes", "text", "truncated", "type")

    def __init__(
        self, type: str, message: str, text: str, frames: list[ErrorFrame], notes: list[str], truncated: bool = False
    ) -> None:
        self.type: str = type
        self.message: str = message
        self.text: str = text
        self.frames: list[ErrorFrame] = frames
        self.notes: list[str] = notes
        self.truncated: bool = truncated


class Waiting:
    """A cell that waits: for a timer in ``timer`` nanoseconds (None: for none), and for ``pending`` calls. ``held``:
    all timers are of earlier cells."""

    __slots__ = ("held", "pending", "timer")

    def __init__(self, timer: int | None, pending: int, held: bool = False) -> None:
        self.timer: int | None = timer
        self.pending: int = pending
        self.held: bool = held


Answer = Done | Failed | Waiting


def most_bytes(value_bytes: int) -> int:
    """Of one frame, for a limit on values: it counts the guest's representation, and escapes of JSON and the text
    beside the value come on top."""
    return 4 * value_bytes + (4 << 20)


def read(status: int, flags: int, head: bytes, attachments: list[bytes], value_bytes: int, value_depth: int) -> Answer:
    """What a frame says.

    Raises:
        ProtocolError: not a frame that a well-behaved guest gives, or over the limits that the guest was told.
    """
    if len(head) + sum(map(len, attachments)) > most_bytes(value_bytes):
        raise ProtocolError("frame larger than the limit on values allows")
    try:
        body = parse(head.decode())
    except UnicodeDecodeError:
        raise ProtocolError("frame is not UTF-8") from None
    if type(body) is not dict:
        raise ProtocolError("frame is not an object")
    if status == DONE:
        # A value without tags is not walked, unless it has enough brackets to be deep.
        if len(head) > value_depth and not flags & FLAG_TAGS and head.count(b"[") + head.count(b"{") > value_depth:
            check_depth(body, value_depth)
        return _done(body, flags, attachments, value_depth)
    if status == FAILED:
        return _failed(body, bool(flags & FLAG_TRUNCATED))
    if status == WAITING:
        timer, pending = body.get("timer"), body.get("pending", 0)
        if not (timer is None or _is_int(timer)) or not _is_int(pending) or pending < 0:
            raise ProtocolError("waiting frame is damaged")
        return Waiting(None if timer is None else max(0, timer), pending, body.get("held") is True)
    raise ProtocolError(f"unknown status {status}")


def _is_int(value: object) -> bool:
    return type(value) is int


def _notes(body: "dict[str, Any]") -> list[str]:
    notes = body.get("notes")
    if not notes:
        return []
    if type(notes) is not list or not all(type(note) is str for note in notes):
        raise ProtocolError("notes are not texts")
    # Names that code made up are in them, and each is one line.
    from .harmless import harmless

    return [harmless(note[:MAX_NOTE_CHARS]).replace("\n", " ").replace("\t", " ") for note in notes[:MAX_NOTES]]


def _done(body: "dict[str, Any]", flags: int, attachments: list[bytes], depth: int) -> Done:
    text = body.get("t", "")
    if type(text) is not str:
        raise ProtocolError("value_text is not text")
    has_value = "v" in body
    value = body.get("v")
    if has_value and flags & FLAG_TAGS:
        from .values import revive

        value = revive(value, attachments, depth)
    notes = _notes(body) if "notes" in body else []
    return Done(value, text, has_value, bool(flags & FLAG_TRUNCATED), notes, attachments)


def _failed(body: "dict[str, Any]", truncated: bool) -> Failed:
    error = body.get("e")
    if type(error) is not dict:
        raise ProtocolError("failure without an error")
    texts = [error.get(key) for key in ("type", "message", "text")]
    if not all(type(text) is str for text in texts):
        raise ProtocolError("error without texts")
    kind, message, text = (str(text)[:MAX_ERROR_CHARS] for text in texts)
    frames = error.get("frames", [])
    if type(frames) is not list:
        raise ProtocolError("frames are not a list")
    places = [_frame(item) for item in frames[:MAX_FRAMES]]
    return Failed(kind[:200], message, text, places, _notes(body), truncated)


def _frame(item: object) -> ErrorFrame:
    if type(item) is not dict:
        raise ProtocolError("frame of an error is damaged")
    numbers = [item.get(key) for key in ("cell", "line", "column")]
    function, source = item.get("function"), item.get("source")
    if not all(number is None or _is_int(number) for number in numbers):
        raise ProtocolError("frame of an error is damaged")
    return ErrorFrame(
        numbers[0],
        numbers[1],
        numbers[2],
        function[:500] if type(function) is str else "",
        source[:2000] if type(source) is str else "",
    )
