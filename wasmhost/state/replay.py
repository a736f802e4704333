"""The replay log: what each cell did, in lines of JSON that a person can read, and sessions brought back from it
(rows B4, B18 to B20; ``docs/replay.md``)."""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from hashlib import sha256
from reprlib import Repr
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from ..capabilities.cell import BLOCKING, START, TOOL, CellCalls
from ..capabilities.loops import our_loop
from ..capabilities.pipeline import error_reply
from ..capabilities.policy import canonical
from ..capabilities.schema import Mismatch
from ..capabilities.session import SessionCapabilities
from ..errors import ProtocolError, ReplayError
from ..protocol.encode import encode, utf8
from ..protocol.frames import START_HANDLER, START_HOLD, read_start_head, with_hold, with_seed
from ..protocol.json_read import NotStrict, value_of
from ..protocol.json_text import clean, dumps, jsonable, jsonable_or_text
from ..protocol.packed import pack, read_request, unpack
from ..session.cell import CellRun, Effect, Start
from ..session.session import Session

if TYPE_CHECKING:
    from ..capabilities.record import CallRecord
    from ..sandbox.instance import Instance

S = TypeVar("S", bound=Session)

FORMAT = 1
# One line of a log, and how many.
MAX_LINE = 64 << 20
MAX_LINES = 100_000
# Of a value that is shown; what the replay needs is kept whole in the second part.
_SHOWN_CHARS = 2_000
_ANY_DEPTH = 1000
_SHOWN_INPUT = 120
# Of requests, by their number in the ABI.
KINDS = ("blocking", "start", "cancel", "tool", "handled", "dropped")
_CHUNK = 1 << 16

_MARKS = {
    "gap": "a cell could not be written to the log, so what it did is missing",
    "begins": "the log begins with a snapshot that was restored, and what was in it is missing: restore it instead",
}

OK, DRIFT, THREW, SKIPPED = "ok", "drift", "threw", "skipped"
RESUME, FRESH, FORK = "resume", "fresh", "fork"


class ReplayLog:
    """Where a session writes what its cells do: a file, appended to line by line, or memory.

    What is in it is as secret as what capabilities returned. A file is made with mode 0600. Thread-safe as far as one
    session writes to it; two sessions must not share one.

    Args:
        path: of the file; None: ``lines`` only.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: "str | os.PathLike[str] | None" = None) -> None:
        self.lines: list[str] = []
        self.path: str | None = None if path is None else os.fspath(path)
        self._descriptor = -1
        # What could not be written, to come before the next line.
        self._owed = ""
        if self.path is not None:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
            _drop_cut_line(self._descriptor)

    def write(self, entry: dict[str, Any]) -> None:
        """One line, in one system call.

        Raises:
            OSError: it could not be written. A line that says so comes before the next one.
            ValueError: the log is closed.
        """
        line = dumps(entry)
        if self.path is None:
            self.lines.append(line)
            return
        if self._descriptor < 0:
            raise ValueError(f"the replay log {self.path!r} is closed")
        data = f"{self._owed}{line}\n".encode()
        if "begins" in entry:
            self._owed = f"\n{line}\n"
        elif not self._owed:
            self._owed = f'\n{{"format":{FORMAT},"gap":true}}\n'
        while data:
            data = data[os.write(self._descriptor, data) :]
        self._owed = ""

    def close(self) -> None:
        """Closes the file. Closing twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def read(self) -> "list[dict[str, Any]]":
        """The entries so far."""
        return read_log(self.lines if self.path is None else self.path)

    # ---- what the session tells ----

    def cell(self, session: Session, cell: CellRun, ended: str, error: "tuple[str, str] | None") -> None:
        """A cell has ended."""
        entry, calls = cell.entry, cell.calls
        if entry is None:
            return
        start = read_start_head(entry.head)
        whole = entry.whole and (calls is None or calls.replayable)
        records = [] if calls is None else calls.records
        made: dict[str, Any] = {
            "format": FORMAT,
            "cell": cell.number,
            "language": session.language,
            "code": clean(entry.source[: start.source_len].decode("utf-8", "replace")),
            "ended": ended,
            "error": None if error is None else {"type": clean(error[0]), "message": _cut(error[1])},
            "calls": [_shown(record) for record in records],
            "whole": whole,
        }
        if start.flags & START_HANDLER:
            made["handler"] = True
        if start.flags & START_HOLD:
            made["hold"] = True
        if whole and ended in ("done", "failed"):
            made["course"] = {
                "seed": entry.seed.hex(),
                "guestSeed": None if start.seed is None else start.seed.hex(),
                "clock": entry.clock,
                "requests": [
                    [KINDS[kind], what, _text(reply)]
                    for (kind, _, reply), what in zip(entry.calls, calls.asked if calls else (), strict=True)
                ],
                "events": [_text(events) for events in entry.events],
            }
        self.write(made)

    def begins_anew(self, how: str) -> None:
        """What comes does not go on from the cells before: after a ``"reset"``, or with a ``"snapshot"`` that has
        been restored."""
        self.write({"format": FORMAT, "begins": how})


def _drop_cut_line(descriptor: int) -> None:
    """Takes away what stands after the last line's end: a crash has cut it, and it would swallow the next one."""
    size = end = os.fstat(descriptor).st_size
    while end:
        start = max(0, end - _CHUNK)
        at = os.pread(descriptor, end - start, start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)


def as_log(log: "ReplayLog | str | os.PathLike[str]") -> ReplayLog:
    """A log, or that of the file with this path."""
    return log if isinstance(log, ReplayLog) else ReplayLog(log)


def asked(kind: int, data: bytes) -> list[Any] | None:
    """What is compared of a request for a call when it is replayed: its name and part of the SHA-256 of its arguments;
    the guest's number of the call, and the beginning of the arguments for a person."""
    if kind not in (BLOCKING, START):
        return None
    message = read_request(data, _ANY_DEPTH)
    name, args, kwargs = message[1:4] if kind == START else message[:3]
    digest = sha256(canonical([args, kwargs]).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    shown = [*map(_SHORT.repr, args), *(f"{key[:40]}={_SHORT.repr(value)}" for key, value in kwargs.items())]
    return [name, digest, message[0] if kind == START else 0, clean(", ".join(shown)[:_SHOWN_INPUT])]


class _Short(Repr):
    """``repr`` of whatever came, in a few characters."""

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write more than 4,300 digits.
        return "a huge int" if x.bit_length() > 256 else repr(x)


_SHORT = _Short()


def _shown(record: "CallRecord") -> dict[str, Any]:
    made = record.to_dict()
    for name in ("input", "result"):
        if name in made:
            text = json.dumps(made[name])
            if len(text) > _SHOWN_CHARS:
                made[name] = {"cut": _cut(text)}
    return {key: made[key] for key in ("id", "name", "state", "input", "result", "error") if key in made}


def _cut(text: str) -> str:
    if len(text) <= _SHOWN_CHARS:
        return clean(text)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{clean(text[:_SHOWN_CHARS])} [cut here: {len(text)} characters in all, SHA-256 {digest}]"


def _text(data: bytes) -> "str | dict[str, str]":
    """Bytes as they crossed: text where it is text."""
    if data.isascii():
        return data.decode()
    return {"base64": b64encode(data).decode()}


def _bytes(text: Any) -> bytes:
    if type(text) is str:
        return text.encode("ascii")
    if type(text) is dict and type(text.get("base64")) is str:
        return b64decode(text["base64"], validate=True)
    raise ValueError("neither text nor base64")


# ---- reading -------------------------------------------------------------------------------------------------------


def read_log(source: "str | os.PathLike[str] | Iterable[str]") -> list[dict[str, Any]]:
    """The entries of a log since its last reset. A last line that was cut, as by a crash, is left out.

    Args:
        source: path of a file, or lines.

    Raises:
        ReplayError: a line that is not one of a log; the text says which and why.
        OSError: the file cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return _entries(_lines(file))
    return _entries(source)


def _lines(file: BinaryIO) -> Iterator[str]:
    while line := file.readline(MAX_LINE + 2):
        # What is no UTF-8 is no JSON either: it is refused as that, or left out as a line that was cut.
        yield _decoded(line)


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "(not UTF-8)\n" if line.endswith(b"\n") else "(not UTF-8)"


def _entries(lines: Iterable[str]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    bad = ""
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise ReplayError(f"the log has more than {MAX_LINES} lines")
        if not line.strip():
            continue
        if bad:
            raise ReplayError(bad)
        try:
            entry = _parsed(line)
        except (ValueError, RecursionError) as error:
            # The last one, if it has no end, is one that a crash has cut.
            bad = f"line {number} of the log: {str(error) or 'nested too deep'}"
            if line.endswith("\n"):
                raise ReplayError(bad) from None
            continue
        try:
            _check_entry(entry)
        except (ValueError, ProtocolError, RecursionError) as error:
            raise ReplayError(f"line {number} of the log: {str(error) or 'nested too deep'}") from None
        if "begins" in entry or entry.get("ended") == "lost":
            entries.clear()
        if entry.get("begins") != "reset":
            entries.append(entry)
    return entries


def _parsed(line: str) -> Any:
    if len(line) > MAX_LINE:
        raise ReplayError(f"a line of the log has more than {MAX_LINE} characters")
    return json.loads(line)


def _check_entry(entry: Any) -> None:
    if type(entry) is not dict or entry.get("format") != FORMAT:
        raise ValueError(f"not an entry of format {FORMAT}")
    if "begins" in entry or "gap" in entry:
        return
    for name, kind in (("cell", int), ("language", str), ("code", str), ("ended", str), ("calls", list)):
        if type(entry.get(name)) is not kind:
            raise ValueError(f"{name} is not what it should be")
    for call in entry["calls"]:
        if type(call) is not dict or type(call.get("name")) is not str or type(call.get("state")) is not str:
            raise ValueError("a call has no name or no state")
    if not 0 < entry["cell"] < 1 << 31:
        raise ValueError("cell is not the number of one")
    course = entry.get("course")
    if course is not None:
        _check_course(course)


def _check_course(course: Any) -> None:
    if type(course) is not dict:
        raise ValueError("course is not what it should be")
    for name in ("seed", "guestSeed"):
        seed = course.get(name, "")
        if not (seed is None and name == "guestSeed") and (type(seed) is not str or len(bytes.fromhex(seed)) != 32):
            raise ValueError(f"{name} is not 32 bytes in hexadecimal")
    clock, requests, events = course.get("clock"), course.get("requests"), course.get("events")
    if type(clock) is not list or any(type(one) is not int or abs(one) >= 1 << 63 for one in clock):
        raise ValueError("clock is not a list of nanoseconds")
    if type(requests) is not list or type(events) is not list:
        raise ValueError("requests and events are lists")
    for one in requests:
        if type(one) is not list or len(one) != 3 or one[0] not in KINDS:
            raise ValueError("a request is [kind, what, reply]")
        what = one[1]
        if (what is None) == (one[0] in ("start", "blocking")) or (
            what is not None and (type(what) is not list or [type(part) for part in what] != [str, str, int, str])
        ):
            raise ValueError("what was asked is [name, digest of the input, number, input]")
        _bytes(one[2])
    for one in events:
        event = json.loads(unpack(_bytes(one))[0])
        if type(event) is not dict:
            raise ValueError("an event is an object")
        for settled in _list(event.get("settle")) + _list(event.get("run")):
            if type(settled) is not list or len(settled) != 3 or type(settled[0]) is not int:
                raise ValueError("what an event brings is [number, ...]")


def _list(value: Any) -> list[Any]:
    if value is not None and type(value) is not list:
        raise ValueError("what an event brings is a list")
    return value or []


# ---- back ----------------------------------------------------------------------------------------------------------


class CellReplay:
    """What became of one cell of a log: ``cell`` its number, ``outcome`` ``"ok"``, ``"threw"`` (it ended in an error,
    as it had), ``"drift"`` (it went another way) or ``"skipped"``, and ``detail``: where it went another way and both
    sides, or why it was skipped."""

    __slots__ = ("cell", "detail", "outcome")

    def __init__(self, cell: int, outcome: str, detail: str = "") -> None:
        self.cell: int = cell
        self.outcome: str = outcome
        self.detail: str = detail

    def __repr__(self) -> str:
        return f"CellReplay({self.cell}, {self.outcome!r}, {self.detail!r})"


class Hydration:
    """How a session came to its state: ``mode`` (``"resume"``, ``"fork"`` or ``"fresh"``), ``cells``, ``notes``."""

    __slots__ = ("cells", "mode", "notes")

    def __init__(self, mode: str, cells: list[CellReplay], notes: list[str]) -> None:
        self.mode: str = mode
        self.cells: list[CellReplay] = cells
        self.notes: list[str] = notes

    @property
    def ok(self) -> bool:
        """Whether every cell went as it had, and none is missing."""
        return not self.notes and all(cell.outcome in (OK, THREW) for cell in self.cells)

    def __repr__(self) -> str:
        return f"Hydration({self.mode!r}, {self.cells!r}, {self.notes!r})"


def from_log(kind: type[S], log: Any, mode: str, reseed: bool, options: dict[str, Any]) -> S:
    """See :meth:`~wasmhost.session.session.Session.from_log`."""
    if mode not in (RESUME, FORK, FRESH):
        raise ValueError(f"mode is one of {RESUME}, {FORK}, {FRESH}, not {mode!r}")
    if isinstance(log, Session):
        note = "a live session cannot be forked by its log: this one starts fresh; use session.fork(), or a snapshot"
        return _hydrated(kind(**options), FRESH, [note])
    entries = [] if mode == FRESH else log.read() if isinstance(log, ReplayLog) else read_log(log)
    return hydrate(kind, mode, lambda session: entries, reseed, options, log)


def hydrate(
    kind: type[S],
    mode: str,
    entries: "Callable[[S], list[dict[str, Any]]]",
    reseed: bool,
    options: dict[str, Any],
    log: Any = None,
) -> S:
    """A session in which the entries of a log have been run again. ``log``: where they come from."""
    session = _hydrated(kind(**options), mode, [])
    try:
        _run_again(session, entries(session), reseed, None if _same_log(session._log, log) else session._log)
    except BaseException:
        session.close()
        raise
    return session


def _hydrated(session: S, mode: str, notes: list[str]) -> S:
    session.hydration = Hydration(mode, [], notes)
    return session


def _same_log(own: ReplayLog | None, log: Any) -> bool:
    if own is None or own.path is None or not isinstance(log, (str, os.PathLike)):
        return own is log
    return os.path.samefile(own.path, log)


def _run_again(session: Session, entries: list[dict[str, Any]], reseed: bool, log: ReplayLog | None) -> None:
    assert session.hydration is not None
    for entry in entries:
        if log is not None:
            log.write(entry)
        if "code" not in entry:
            session.hydration.notes.append(_MARKS["gap" if "gap" in entry else "begins"])
            continue
        if entry["language"] != session.language:
            raise ReplayError(
                f"cell {entry['cell']} of the log is {entry['language']!r}, and this is {session.language}"
            )
        replayed = _again(session, entry)
        session.hydration.cells.append(replayed)
        trace = session._trace
        if trace is not None:
            trace.emit("replay", cell=replayed.cell, outcome=replayed.outcome, detail=trace.trace.text(replayed.detail))
    instance = session._instance
    if reseed and instance is not None:
        # From a checkpoint, so that going back to it has the guest seeded too.
        session._checkpoint = instance.checkpoint()
        session._journal.clear()
        session._base_told, session._base_seeded, session._seeded = session._told_tools, False, False


def _no_capabilities(session: Session) -> SessionCapabilities:
    return SessionCapabilities(
        (),
        policy=None,
        hooks=None,
        approve=None,
        approve_timeout=None,
        isolation=None,
        on_event=None,
        label="",
        parallel_calls=session.limits.parallel_calls,
    )


def _again(session: Session, entry: dict[str, Any]) -> CellReplay:
    number, course = entry["cell"], entry.get("course")
    remembered = None if course is not None else _remembered(entry)
    if type(remembered) is str:
        return CellReplay(number, SKIPPED, f"{remembered}, so it cannot be run again as it went")
    calls: list[ReplayedCalls] = []

    def begin() -> tuple[CellRun, Effect, "Instance"]:
        capabilities = session._capabilities or _no_capabilities(session)
        context = copy_context()
        kind = RememberedCalls if course is None else ReplayedCalls

        def make_calls(cell: int, instance: "Instance") -> ReplayedCalls:
            made = kind(capabilities, cell, session.limits, instance, context, lambda: our_loop(context))
            made.expect(remembered if course is None else course)
            calls.append(made)
            return made

        # As it was numbered then: frames of errors name it.
        session._cells = max(number - 1, session._cells)
        cell, effect, instance = session._begin(entry["code"], session.limits, None, make_calls, "handler" in entry)
        if course is not None and isinstance(effect, Start):
            effect.head = with_hold(effect.head, entry.get("hold") is True)
            seed = course["guestSeed"]
            if seed is not None:
                effect.head = with_seed(effect.head, bytes.fromhex(seed))
            instance.source.replay_cell(bytes.fromhex(course["seed"]), list(course["clock"]), goes_live=True)
        return cell, effect, instance

    session._log_pauses = True
    try:
        result = session._run_blocking(session.limits, begin)
    finally:
        session._log_pauses = False
        if session._instance is not None:
            session._instance.source.stop_replaying()
    made = calls[0]
    drift = made.drift or made.left_over() or _ended_differently(entry, result)
    if drift is not None:
        return CellReplay(number, DRIFT, drift)
    return CellReplay(number, THREW if not result.ok else OK)


def _ended_differently(entry: dict[str, Any], result: Any) -> str | None:
    then = entry.get("error") if entry["ended"] == "failed" else None
    kind = then.get("type") if type(then) is dict else None
    if (entry["ended"] == "failed") == (not result.ok) and (result.ok or kind in (None, result.error_type)):
        return None
    now = "ended well" if result.ok else f"threw {result.error_type}: {str(result.error_message)[:200]}"
    return f"it {'ended well' if entry['ended'] == 'done' else f'threw {kind}'} then, and {now} now"


def _remembered(entry: dict[str, Any]) -> "list[dict[str, Any]] | str":
    """The calls of a cell whose course is not in the log, if their answers are; else why it cannot be run again."""
    if entry["ended"] not in ("done", "failed"):
        return f"it was {entry['ended']}"
    if entry.get("whole") is False:
        return "it had more calls than a log keeps"
    for call in entry["calls"]:
        if call["state"] == "never_started":
            continue
        if "error" not in call and ("result" not in call or _is_cut(call["result"])):
            return f"the answer of call {call.get('id')} is not in the log"
    try:
        return [
            {**call, "result": value_of(call.get("result"))}
            for call in entry["calls"]
            if call["state"] != "never_started"
        ]
    except NotStrict as error:
        return f"an answer in the log cannot be read: {error}"


def _is_cut(value: Any) -> bool:
    return type(value) is dict and value.keys() == {"cut"}


class ReplayedCalls(CellCalls):
    """The calls of a cell of a log: what it asks is compared with what it asked then, and gets the reply that it got
    then. No capability is run."""

    drift: str | None = None
    _at: int = 0

    def expect(self, course: Any) -> None:
        """``course``: as in the log."""
        self._requests: list[Any] = course["requests"]
        self._events: list[Any] = course["events"]
        self._woken: int = 0
        self._ids: dict[int, int] = {}  # a call's number then: its number now

    def _on_call(self, kind: int, data: bytes) -> bytes:
        message = read_request(data, self._depth)
        if type(message) is not list:
            raise ProtocolError("request is not a list")
        if kind == TOOL:
            self._tool_comes()
            return super()._on_call(kind, data)
        if kind not in (START, BLOCKING):
            # What becomes of calls follows from their answers; only asking counts.
            return b""
        reply = self._answer_to(kind, data, message) if self.drift is None else None
        if reply is None:
            error = {"type": "ReplayDrift", "message": f"no answer from the log: {self.drift}", "call": ""}
            return f"[false,{json.dumps(error)}]".encode()
        return reply

    def _tool_comes(self) -> None:
        self._next("tool", None)

    def _answer_to(self, kind: int, data: bytes, message: list[Any]) -> bytes | None:
        then = self._next(KINDS[kind], asked(kind, data))
        if then is None:
            return None
        if kind == START:
            self._ids[then[1][2]] = message[0]
        return _bytes(then[2])

    def _next(self, kind: str, what: "list[Any] | None") -> "list[Any] | None":
        """What the log has for this request; None: it has another one here."""
        self._skip()
        then = self._requests[self._at] if self._at < len(self._requests) else None
        if self.drift is None and (then is None or then[0] != kind or (what is not None and then[1][:2] != what[:2])):
            self.drift = f"request {self._at + 1}: {_said(then)} then, {_said([kind, what])} now"
        if self.drift is not None:
            return None
        self._at += 1
        return then

    def _drifts(self, detail: str) -> None:
        self.drift = detail

    def _skip(self) -> None:
        """Passes over what is no call."""
        while self._at < len(self._requests) and self._requests[self._at][0] not in ("start", "blocking", "tool"):
            self._at += 1

    def left_over(self) -> str | None:
        """What was asked then and not now."""
        self._skip()
        if self._at == len(self._requests):
            return None
        return f"request {self._at + 1}: {_said(self._requests[self._at])} then, nothing more now"

    def has_news(self) -> bool:
        return self._waits_for_calls or self._woken < len(self._events) or self.drift is not None

    @property
    def wants_suspension(self) -> bool:
        return False

    def take_events(self) -> bytes:
        if self.drift is None and self._woken < len(self._events):
            self._woken += 1
            return self._translated(_bytes(self._events[self._woken - 1]))
        if self.drift is None:
            self.drift = f"it waits now for what it did not wait for then, after {self._woken} events"
        message = json.dumps({"type": "ReplayDrift", "message": f"no answer from the log: {self.drift}"})
        return f'{{"cancel":{message}}}'.encode()

    def _translated(self, data: bytes) -> bytes:
        """An event with the numbers that the guest has given its calls this time."""
        head, attachments = unpack(data)
        event = json.loads(head)
        for name in ("settle", "run"):
            for one in event.get(name) or ():
                one[0] = self._ids.get(one[0], one[0])
        return pack(json.dumps(event).encode(), attachments)


class RememberedCalls(ReplayedCalls):
    """The same where only the answers are known: from a transcript. Each call gets what the one at its place in the
    order had; those that were started together are answered in that order."""

    def expect(self, course: Any) -> None:
        self._calls: list[dict[str, Any]] = course
        self._ready: list[tuple[int, bool, str, list[bytes]]] = []

    def _tool_comes(self) -> None:
        """Not in a transcript."""

    def _answer_to(self, kind: int, data: bytes, message: list[Any]) -> bytes | None:
        name, args, kwargs = message[1:4] if kind == START else message[:3]
        then = self._calls[self._at] if self._at < len(self._calls) else None
        if then is None or then["name"] != name or not self._same_input(name, args, kwargs, then.get("input")):
            now = f"{name} with {_brief({**dict(enumerate(args)), **kwargs})}"
            was = "nothing more" if then is None else f"{then['name']} with {_brief(then.get('input'))}"
            self._drifts(f"call {self._at + 1}: {was} then, {now} now")
            return None
        self._at += 1
        error = then.get("error")
        reply: tuple[bool, str, list[bytes]]
        if type(error) is dict:
            reply = error_reply(str(error.get("type")), str(error.get("message")), str(then.get("id")))
        else:
            attachments: list[bytes] = []
            reply = True, encode(then["result"], attachments), attachments
        if kind == START:
            self._ready.append((message[0], *reply))
            return b""
        ok, text, attachments = reply
        return pack(utf8(f"[{'true' if ok else 'false'},{text}]"), attachments)

    def _same_input(self, name: str, args: list[Any], kwargs: dict[str, Any], then: Any) -> bool:
        if _is_cut(then):
            return True
        capability = self.session.find(name)
        now: Any = kwargs
        if capability is not None:
            try:
                now = capability.parameters.bind(args, kwargs, name)
            except Mismatch:
                now = kwargs
        elif args:
            return type(then) is dict and jsonable([*args, *kwargs.values()]) == list(then.values())
        return bool(jsonable_or_text(now) == then)

    def left_over(self) -> str | None:
        if self._at == len(self._calls):
            return None
        then = self._calls[self._at]
        return f"call {self._at + 1}: {then['name']} with {_brief(then.get('input'))} then, nothing more now"

    def has_news(self) -> bool:
        return self._waits_for_calls or bool(self._ready) or self.drift is not None

    def take_events(self) -> bytes:
        self._waits_for_calls = False
        if self._ready and self.drift is None:
            number, ok, text, attachments = self._ready.pop(0)
            return pack(utf8(f'{{"settle":[[{number},{"true" if ok else "false"},{text}]]}}'), attachments)
        return super().take_events() if self.drift is not None or self.in_flight else b"{}"


def _brief(value: Any) -> str:
    return dumps(jsonable_or_text(value))[:200]


def _said(request: Any) -> str:
    if request is None:
        return "nothing more"
    kind, what = request[0], request[1]
    return f"{kind} of {what[0][:100]}({what[3]})" if what else str(kind)


__all__ = ["CellReplay", "Hydration", "ReplayLog", "from_log", "read_log"]
