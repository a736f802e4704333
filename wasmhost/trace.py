"""What a session does, as structured events (``docs/trace.md``). Loaded only for a session that was given
``trace=``."""

import json
import os
import stat
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, Any, Protocol

from .capabilities.record import COMPLETED, RUNNING, SUSPENDED, CallEvent, CallRecord, NotKept
from .protocol.json_text import clean, jsonable_or_text

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .capabilities.session import OnEvent, SessionCapabilities
    from .limits import Limits
    from .results import RuntimeFailure, RuntimeSuccess
    from .sandbox.pages import Checkpoint
    from .session.cell import CellRun

Event = dict[str, Any]
Sink = Callable[[Event], object]

DEFAULT_CHARS = 500
# Parts of names whose values are never shown; compared without case, "-" and "_".
SECRETS = ("password", "passwd", "secret", "token", "apikey", "authorization", "cookie", "credential", "privatekey")

_HOOKS = {"pre_hook": "pre", "post_hook": "post", "failure_hook": "failure"}


class Trace:
    """Where the events of sessions go, and how much of values they show. May be shared by sessions and threads.

    Args:
        sink: called with each event, a dict of strict JSON, in the thread where it happens, often while the guest
            waits: it should return at once. What it raises changes nothing; the next event that it takes has ``lost``,
            the number of those that it did not.
        chars: most characters of a value or text; of what is longer there are the beginning, the length and the
            SHA-256.
        secrets: parts of names of arguments and of keys in values (``"token"``) that are shown by their length and a
            keyed digest only, which is equal for equal ones of one ``Trace`` and tells nothing else.
        content: False: no code, no values and no texts of guests, only their lengths and digests.

    Raises:
        TypeError, ValueError: not a function; ``chars`` below 0.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        chars: int = DEFAULT_CHARS,
        secrets: Iterable[str] = SECRETS,
        content: bool = True,
    ) -> None:
        if not callable(sink):
            raise TypeError(f"a trace goes to a function of one event, not to {type(sink).__name__}")
        if type(chars) is not int or chars < 0:
            raise ValueError(f"chars is a whole number from 0, not {chars!r}")
        if isinstance(secrets, str):
            raise TypeError(f"secrets is a list of parts of names: [{secrets!r}]")
        self.sink: Sink = sink
        self.chars: int = chars if content else 0
        self.content: bool = content
        self._secrets = tuple(_bare(one) for one in secrets)
        self._key = os.urandom(32)

    def shown(self, value: Any) -> Any:
        """A value as an event has it: strict JSON (``docs/values.md``), or what says how large it is."""
        try:
            text = _dumps(jsonable_or_text(self._without_secrets(value)))
        except RecursionError:
            return {"cut": "", "chars": 0, "type": type(value).__name__}
        if self.content and len(text) <= max(self.chars, 2):
            return json.loads(text)
        return self._cut(text)

    def text(self, text: str) -> Any:
        """A text as an event has it."""
        text = clean(text)
        return text if self.content and len(text) <= self.chars else self._cut(text)

    def _cut(self, text: str) -> Event:
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"cut": text[: self.chars], "chars": len(text), "sha256": digest}

    def _without_secrets(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: self._secret(item) if self._is_secret(key) else self._without_secrets(item)
                for key, item in value.items()
            }
        if type(value) in (list, tuple):
            return type(value)(self._without_secrets(item) for item in value)
        return value

    def _is_secret(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        bare = _bare(key)
        return any(part in bare for part in self._secrets)

    def _secret(self, value: Any) -> Event:
        from hmac import digest

        text = value if isinstance(value, str) else _dumps(jsonable_or_text(value))
        mac = digest(self._key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:16]
        return {"secret": True, "chars": len(text), "hmac": mac}


def _bare(name: str) -> str:
    return name[:200].lower().replace("-", "").replace("_", "")


def _dumps(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


class _Writer(Protocol):
    def write(self, text: str, /) -> object: ...


class JsonLines:
    """A sink that writes each event as one line of strict ASCII JSON. Thread-safe.

    Args:
        target: a path, or a text file. A file at a path is appended to; a new one is for its owner only (0600). A file
            object stays the caller's.

    Raises:
        OSError: it cannot be opened; a symbolic link is not followed.
    """

    def __init__(self, target: "str | os.PathLike[str] | _Writer") -> None:
        self._lock = allocate_lock()
        self._file: _Writer | None = None
        self._fd: int | None = None
        # Whether the file ends within a line, for want of room or by a crash: the next event begins a new one.
        self._torn: bool = False
        if isinstance(target, (str, os.PathLike)):
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
            self._fd = os.open(target, flags, 0o600)
            self._torn = _is_torn(self._fd, target)
        else:
            self._file = target

    def __call__(self, event: Event) -> None:
        """Writes one event.

        Raises:
            ValueError: it is closed, or the event is not strict JSON.
            OSError: it cannot be written.
        """
        line = _dumps(event) + "\n"
        with self._lock:
            if self._file is not None:
                self._file.write(line)
                return
            if self._fd is None:
                raise ValueError("this trace is closed")
            data = ("\n" + line if self._torn else line).encode()
            while data:
                data = data[os.write(self._fd, data) :]
                self._torn = bool(data)

    def close(self) -> None:
        """Closes the file, if it was given as a path. Closing twice is harmless."""
        with self._lock:
            fd, self._fd = self._fd, None
            if fd is not None:
                os.close(fd)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        self.close()


def _is_torn(fd: int, path: "str | os.PathLike[str]") -> bool:
    seen = os.fstat(fd)
    if not stat.S_ISREG(seen.st_mode) or not seen.st_size:
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


class SessionTrace:
    """The events of one session. Its methods are called where things happen, in any thread."""

    def __init__(self, trace: "Trace | Sink", label: str, language: str) -> None:
        self.trace: Trace = trace if isinstance(trace, Trace) else Trace(trace)
        self.id: str = os.urandom(8).hex()
        self._label = label
        self._language = language
        self._numbers = count(1)
        self._began = perf_counter_ns()
        self._lost = 0
        self._open: dict[str, CallRecord] = {}
        self._user: OnEvent | None = None
        self._closed = False

    def emit(self, event: str, **fields: Any) -> None:
        """Tells the sink of one event."""
        wall = time_ns()
        stamp = datetime.fromtimestamp(wall // 1_000_000_000, UTC).replace(microsecond=wall // 1_000 % 1_000_000)
        made: Event = {
            "event": event,
            "seq": next(self._numbers),
            "time": stamp.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "us": (perf_counter_ns() - self._began) // 1_000,
            "session": self.id,
            **fields,
        }
        lost = self._lost
        if lost:
            made["lost"] = lost
        try:
            self.trace.sink(made)
        except Exception:
            self._lost += 1
        else:
            self._lost -= lost

    def begin(self, limits: "Limits", origin: str = "new", parent: "str | None" = None) -> None:
        """The session is there: new, restored, or a branch of another."""
        self.emit(
            "session.begin",
            label=self.trace.text(self._label),
            language=self._language,
            limits=_limits(limits),
            origin=origin,
            **({} if parent is None else {"parent": parent}),
        )

    def branch(self, limits: "Limits", capabilities: "SessionCapabilities | None") -> "SessionTrace":
        """That of a branch of the session."""
        made = SessionTrace(self.trace, self._label, self._language)
        made.begin(limits, "fork", self.id)
        if capabilities is not None:
            capabilities.listen(made.listener(self._user))
        return made

    def listener(self, user: "OnEvent | None") -> "OnEvent":
        """What is told of the steps of calls; it passes them on to the program's own listener."""
        self._user = user

        def listen(event: CallEvent) -> None:
            self.call_event(event)
            if user is not None:
                user(event)

        return listen

    def ended(self, closed: bool) -> None:
        """The session was reset, or closed."""
        if not self._closed:
            self._closed = closed
            self.emit("session.close" if closed else "session.reset")

    def checkpoint(self, cell: "CellRun", taken: "Checkpoint", nanoseconds: int) -> None:
        """The state before a cell was copied."""
        self.emit("checkpoint", cell=cell.number, bytes=taken.bytes, ms=round(nanoseconds / 1e6, 3))

    # ---- cells ----

    def cell_begin(self, cell: "CellRun", code: str | None, handler: bool = False) -> None:
        """A cell begins; without code one that was suspended goes on."""
        if code is None:
            self.emit("cell.resume", cell=cell.number, fuel=cell.meter.fuel_used)
            return
        self.emit(
            "cell.begin",
            cell=cell.number,
            kind="tool" if handler else "code",
            code=self.trace.text(code),
            limits=_limits(cell.limits),
        )

    def cell_end(self, cell: "CellRun", result: "RuntimeSuccess | RuntimeFailure") -> None:
        """A cell has ended, or is suspended."""
        suspended = result.status == "suspended"
        for record in list(self._open.values()):
            if suspended and record.state in (SUSPENDED, RUNNING):
                self.emit("call.suspend", cell=record.cell, call=record.id, name=self._name(record))
            else:
                self._call_end(record)
        trace, stop = self.trace, result.stop
        if stop is not None:
            used = round(stop.used, 3)
            self.emit("stop", cell=cell.number, limit=stop.limit, layer=stop.layer, used=used, state=result.state)
        states: dict[str, int] = {}
        for call in result.calls:
            states[call.state] = states.get(call.state, 0) + 1
        made: Event = {
            "cell": cell.number,
            "ok": result.ok,
            "status": result.status,
            "state": result.state,
            "fuel": result.fuel,
            "script_ms": round(result.script_ms, 3),
            "wall_ms": round(result.wall_ms, 3),
            "calls": states,
            "registered_tools": len(result.registered_tools),
            "media": len(result.media),
            "stdout": trace.text(result.stdout),
            "stderr": trace.text(result.stderr),
        }
        if result.background_stdout or result.background_stderr:
            made["background"] = {name: trace.text(text) for name, text in result.background.items()}
        if result.ok:
            made["value"] = trace.text(result.value_text)
        else:
            made |= {"error_type": clean(result.error_type or ""), "error": trace.text(result.error)}
        made["notes"] = [trace.text(note) for note in result.notes]
        self.emit("cell.end", **made)

    def cell_gone(self, cell: "CellRun", event: str) -> None:
        """A cell that has no result: ``cell.abandon`` after a fault of the host, ``cell.undo`` where nobody waits."""
        for record in list(self._open.values()):
            self._call_end(record)
        self.emit(event, cell=cell.number, fuel=cell.meter.fuel_used)

    # ---- calls ----

    def _name(self, record: CallRecord) -> str:
        return clean(record.name)

    def call_event(self, event: CallEvent) -> None:
        """A step of a call."""
        record, step = event.call, event.step
        of = {"cell": record.cell, "call": record.id, "name": self._name(record)}
        if event.kind == "start":
            self._open[record.id] = record
            self.emit("call.begin", **of)
        elif event.kind in ("complete", "error"):
            self._call_end(record)
        elif event.kind == "executing":
            self.emit("call.execute", **of)
        elif step == "permission":
            self.emit("decision", **of, decision=clean(event.outcome), input=self.trace.shown(record.input))
        elif step in _HOOKS:
            self.emit("hook", **of, hook=_HOOKS[step], outcome=self.trace.text(event.outcome))
        else:
            self.emit("call.step", **of, step=step, outcome=self.trace.text(event.outcome))

    def _call_end(self, record: CallRecord) -> None:
        if self._open.pop(record.id, None) is None and record.state in (RUNNING, SUSPENDED):
            return
        trace = self.trace
        made: Event = {"cell": record.cell, "call": record.id, "name": self._name(record), "state": record.state}
        made["input"] = trace.shown(record.input)
        if record.error is not None:
            made["error_type"], made["error"] = clean(record.error[0]), trace.text(record.error[1])
        elif record.state == COMPLETED:
            kept = not isinstance(record.result, NotKept)
            made["result"] = trace.shown(record.result) if kept else {"cut": "", "note": str(record.result)}
        made |= {
            "permission": None if record.permission is None else clean(record.permission),
            "executed": record.executed,
            "ms": round(record.duration_ms, 3),
            "notes": [trace.text(note) for note in record.notes],
        }
        self.emit("call.end", **made)


def _limits(limits: "Limits") -> Event:
    """What was given; the rest are defaults."""
    return dict(limits._given)
