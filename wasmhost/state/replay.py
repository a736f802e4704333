"""The replay log: what each cell did, in lines of JSON that a person can read, and sessions brought back from it
(rows B4, B18 to B20; ``docs/replay.md``)."""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from contextvars import copy_context
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from ..capabilities.cell import BLOCKING, KINDS, START, TOOL, CellCalls, asked
from ..capabilities.loops import our_loop
from ..errors import ProtocolError, ReplayError
from ..protocol.frames import START_HANDLER, read_start_head
from ..protocol.json_text import clean, dumps
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
_DEPTH = 240

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
        if self.path is not None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
            # A line that was cut by a crash must not swallow the next one.
            if os.fstat(self._descriptor).st_size:
                os.write(self._descriptor, b"\n")

    def write(self, entry: dict[str, Any]) -> None:
        """One line, in one system call."""
        line = dumps(entry)
        if self._descriptor < 0:
            self.lines.append(line)
            return
        data = f"{line}\n".encode()
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        """Closes the file. Closing twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -2

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
        whole = calls is None or calls.replayable
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
        if whole and ended in ("done", "failed"):
            made["course"] = {
                "seed": entry.seed.hex(),
                "guestSeed": None if start.seed is None else start.seed.hex(),
                "clock": entry.clock,
                "requests": [
                    [KINDS[kind], what, _text(reply)]
                    for (kind, _, reply), what in zip(
                        entry.calls, (calls.asked if calls is not None else None) or [], strict=True
                    )
                ],
                "events": [_text(events) for events in entry.events],
            }
        self.write(made)

    def reset(self) -> None:
        """The session was reset: what comes starts from nothing."""
        self.write({"format": FORMAT, "reset": True})


def as_log(log: "ReplayLog | str | os.PathLike[str]") -> ReplayLog:
    """A log, or that of the file with this path."""
    return log if isinstance(log, ReplayLog) else ReplayLog(log)


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
        with open(source, encoding="utf-8") as file:
            return _entries(_lines(file))
    return _entries(source)


def _lines(file: Any) -> Iterator[str]:
    while line := file.readline(MAX_LINE + 2):
        yield line


def _entries(lines: Iterable[str]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    bad: tuple[int, str] | None = None
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise ReplayError(f"the log has more than {MAX_LINES} lines")
        if not line.strip():
            continue
        if bad is not None:
            raise ReplayError(f"line {bad[0]} of the log: {bad[1]}")
        try:
            entry = _entry(line)
        except (ValueError, RecursionError) as error:
            bad = number, str(error) or type(error).__name__
            # Only a last line without its end is one that a crash has cut.
            if line.endswith("\n") or not isinstance(error, json.JSONDecodeError):
                raise ReplayError(f"line {number} of the log: {bad[1]}") from None
            continue
        if "reset" in entry:
            entries.clear()
        else:
            entries.append(entry)
    return entries


def _entry(line: str) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE} characters")
    entry = json.loads(line)
    if type(entry) is not dict or entry.get("format") != FORMAT:
        raise ValueError(f"not an entry of format {FORMAT}")
    if "reset" in entry:
        return entry
    for name, kind in (("cell", int), ("language", str), ("code", str), ("ended", str), ("calls", list)):
        if type(entry.get(name)) is not kind:
            raise ValueError(f"{name} is not what it should be")
    course = entry.get("course")
    if course is not None:
        _check_course(course)
    return entry


def _check_course(course: Any) -> None:
    if type(course) is not dict:
        raise ValueError("course is not what it should be")
    for name in ("seed", "guestSeed"):
        seed = course.get(name)
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
        if one[1] is not None and (type(one[1]) is not list or len(one[1]) != 3 or type(one[1][0]) is not str):
            raise ValueError("what was asked is [name, digest of the input, number]")
        _bytes(one[2])
    for one in events:
        _bytes(one)


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
        """Whether every cell went as it had."""
        return all(cell.outcome in (OK, THREW) for cell in self.cells)

    def __repr__(self) -> str:
        return f"Hydration({self.mode!r}, {self.cells!r}, {self.notes!r})"


def from_log(kind: type[S], log: Any, mode: str, options: dict[str, Any]) -> S:
    """See :meth:`~wasmhost.session.session.Session.from_log`."""
    if mode not in (RESUME, FORK, FRESH):
        raise ValueError(f"mode is one of {RESUME}, {FORK}, {FRESH}, not {mode!r}")
    if isinstance(log, Session):
        note = "a live session cannot be forked by its log: this one starts fresh; use session.fork(), or a snapshot"
        session = kind(**options)
        session.hydration = Hydration(FRESH, [], [note])
        return session
    entries = [] if mode == FRESH else log.read() if isinstance(log, ReplayLog) else read_log(log)
    session = kind(**options)
    session.hydration = Hydration(mode, [], [])
    own = session._log
    if own is not None and own.path is not None and isinstance(log, (str, os.PathLike)):
        own = None if os.path.samefile(own.path, log) else own
    elif own is log:
        own = None
    for entry in entries:
        if entry["language"] != session.language:
            session.close()
            raise ReplayError(
                f"cell {entry['cell']} of the log is {entry['language']!r}, and this is {session.language}"
            )
        session.hydration.cells.append(_again(session, entry))
        if own is not None:
            own.write(entry)
    if not session.hydration.ok:
        session.hydration.notes.append("not every cell went as it had: the session has what could be brought back")
    return session


def _again(session: Session, entry: dict[str, Any]) -> CellReplay:
    number, course = entry["cell"], entry.get("course")
    if course is None:
        why = "it had more calls than a log keeps"
        if entry["ended"] not in ("done", "failed"):
            why = f"it was {entry['ended']}"
        return CellReplay(number, SKIPPED, f"{why}, so it cannot be run again as it went")
    calls: list[ReplayedCalls] = []

    def begin() -> tuple[CellRun, Effect, "Instance"]:
        capabilities = session._replay_capabilities()
        context = copy_context()

        def make_calls(cell: int, instance: "Instance") -> ReplayedCalls:
            made = ReplayedCalls(capabilities, cell, session.limits, instance, context, lambda: our_loop(context))
            made.expect(course, entry["calls"])
            calls.append(made)
            return made

        cell, effect, instance = session._begin(entry["code"], session.limits, None, make_calls, "handler" in entry)
        if isinstance(effect, Start):
            seed = course["guestSeed"]
            effect.head = effect.head[:8] + (bytes(32) if seed is None else bytes.fromhex(seed)) + effect.head[40:]
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
    drift = made.drift or made.left_over()
    if drift is None:
        was, now = entry["ended"] == "failed", not result.ok
        error = entry.get("error") or {}
        if was != now:
            drift = f"it {'threw ' + str(error.get('type')) if was else 'ended well'} then, and {_how(result)} now"
        elif was and error.get("type") != result.error_type:
            drift = f"it threw {error.get('type')} then, and {_how(result)} now"
    if drift is not None:
        return CellReplay(number, DRIFT, drift)
    return CellReplay(number, THREW if not result.ok else OK)


def _how(result: Any) -> str:
    return "ended well" if result.ok else f"threw {result.error_type}: {str(result.error_message)[:200]}"


class ReplayedCalls(CellCalls):
    """The calls of a cell of a log: what it asks is compared with what it asked then, and gets the reply that it got
    then. No capability is run."""

    def expect(self, course: dict[str, Any], shown: list[Any]) -> None:
        self._requests: list[Any] = course["requests"]
        self._events: list[Any] = course["events"]
        self._at = self._woken = 0
        self.drift: str | None = None
        self._ids: dict[int, int] = {}  # a call's number then: its number now
        self._shown = {one.get("id"): one for one in shown if type(one) is dict}

    def _on_call(self, kind: int, data: bytes) -> bytes:
        message = read_request(data, self._depth)
        if type(message) is not list:
            raise ProtocolError("request is not a list")
        if kind == TOOL:
            self._next(kind, None)
            return super()._on_call(kind, data)
        if kind not in (START, BLOCKING):
            # What becomes of calls follows from their answers; only asking counts.
            if self._at < len(self._requests) and self._requests[self._at][0] == KINDS[kind]:
                self._at += 1
            return b""
        what = asked(kind, data)
        reply = self._next(kind, what)
        if reply is None:
            return self._refuse()
        if kind == START:
            self._ids[self._requests[self._at - 1][1][2]] = message[0]
        return reply

    def _next(self, kind: int, what: "list[Any] | None") -> "bytes | None":
        """The reply that the log has for this request; None: it has another request here."""
        if self.drift is not None:
            return None
        # Cancellations that do not come now, since what they were about has ended, are passed over.
        while self._at < len(self._requests) and self._requests[self._at][0] in ("cancel", "handled", "dropped"):
            self._at += 1
        then = self._requests[self._at] if self._at < len(self._requests) else None
        if then is None or then[0] != KINDS[kind] or (what is not None and then[1][:2] != what[:2]):
            self.drift = f"request {self._at + 1}: {_said(then)} then, {_said([KINDS[kind], what])} now"
            return None
        self._at += 1
        return _bytes(then[2])

    def _refuse(self) -> bytes:
        error = json.dumps({"type": "ReplayDrift", "message": f"no answer from the log: {self.drift}", "call": ""})
        return f"[false,{error}]".encode()

    def left_over(self) -> str | None:
        """What was asked then and not now."""
        for then in self._requests[self._at :]:
            if then[0] in ("start", "blocking", "tool"):
                return f"request {self._at + 1}: {_said(then)} then, nothing more now"
        return None

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
            for one in event.get(name, ()):
                one[0] = self._ids.get(one[0], one[0])
        return pack(json.dumps(event).encode(), attachments)


def _said(request: Any) -> str:
    if request is None:
        return "nothing more"
    kind, what = request[0], request[1]
    return f"{kind} of {str(what[0])[:100]!r} with input {what[1]}" if what else str(kind)


__all__ = ["CellReplay", "Hydration", "ReplayLog", "from_log", "read_log"]
