"""What is kept of each call: its record in the result, and the events that are told while it goes on."""

from time import perf_counter_ns
from typing import Any

COMPLETED, FAILED, DENIED = "completed", "failed", "denied"
CANCELLED, NEVER_STARTED, UNKNOWN = "cancelled", "never-started", "unknown"
# While it goes on, and while its cell is suspended.
RUNNING, SUSPENDED = "running", "suspended"

# States of a call (row B23). A caller redoes what failed, was denied, cancelled or never started; `unknown` may still
# take effect, so it is never redone blindly.
STATES = (COMPLETED, FAILED, DENIED, CANCELLED, NEVER_STARTED, UNKNOWN)


# Of a step; more than any call lasts.
_MAX_MS = 1e12
_SAVED = ("id", "name", "cell", "state", "error", "permission", "executed")


def _plain(value: Any) -> Any:
    """A value as a guest would get it."""
    from ..protocol.encode import Unencodable, encode

    try:
        encode(value, [])
    except Unencodable:
        return f"[{type(value).__name__}]"
    return value


def _text(saved: dict[str, Any], name: str) -> str:
    value = saved.get(name)
    return value if type(value) is str else ""


class NotKept(str):
    """What stands in a record for a value that was too large to be kept: its size, in words."""

    __slots__ = ()


class CallRecord:
    """One call of a capability as the host saw it.

    ``id``: unique in the session; ``name``; ``state``: completed, failed, denied, cancelled (an async one, seen to its
    end), never-started or unknown (abandoned: its effect may still happen), ``running`` while it goes on, or
    ``suspended``;
    ``input``: the arguments by name, as validated and as hooks rewrote them; ``result``: what the guest got, ``error``:
    ``(type, message)`` of what it got instead; ``permission``: how it was decided; ``executed``: whether the function
    was entered; ``steps``: ``(step, outcome, milliseconds since the call began)`` in order; ``notes`` of hooks;
    ``duration_ms``.
    """

    __slots__ = (
        "_marks",
        "_notes",
        "_started_ns",
        "cell",
        "error",
        "executed",
        "id",
        "input",
        "name",
        "permission",
        "result",
        "state",
    )

    def __init__(self, id: str, name: str, cell: int) -> None:
        self.id: str = id
        self.name: str = name
        self.cell: int = cell
        self.state: str = "running"
        self.input: Any = None
        self.result: Any = None
        self.error: tuple[str, str] | None = None
        self.permission: str | None = None
        self.executed: bool = False
        self._notes: list[str] | None = None
        self._marks: list[Any] = []
        self._started_ns = perf_counter_ns()

    def mark(self, step: str, outcome: str, kind: str = "step") -> None:
        """Notes the outcome of a step of the pipeline. ``kind`` is for events."""
        # Flat: a tuple for each would be five more objects for the garbage collector in each call.
        self._marks.extend((step, outcome, perf_counter_ns()))

    @property
    def notes(self) -> list[str]:
        """What hooks had to say, and what failed beside the call itself."""
        # Made when there is something: one object less in each call.
        if self._notes is None:
            self._notes = []
        return self._notes

    @property
    def steps(self) -> list[tuple[str, str, float]]:
        marks, start = self._marks, self._started_ns
        return [(marks[i], marks[i + 1], (marks[i + 2] - start) / 1e6) for i in range(0, len(marks), 3)]

    @property
    def duration_ms(self) -> float:
        return (self._marks[-1] - self._started_ns) / 1e6 if self._marks else 0.0

    def save(self) -> dict[str, Any]:
        """The record as plain values, to go on with elsewhere."""
        made = {name: getattr(self, name) for name in _SAVED}
        made["input"], made["result"] = _plain(self.input), _plain(self.result)
        made["notes"] = list(self._notes or ())
        made["steps"] = [list(step) for step in self.steps]
        return made

    @classmethod
    def load(cls, saved: dict[str, Any]) -> "CallRecord":
        """From :meth:`save`; what is not of the right type is left out."""
        record = cls(_text(saved, "id"), _text(saved, "name"), saved["cell"] if type(saved.get("cell")) is int else 0)
        record.state = _text(saved, "state")
        record.input, record.result = saved.get("input"), saved.get("result")
        error = saved.get("error")
        if type(error) is tuple and [type(part) for part in error] == [str, str]:
            record.error = error
        record.permission = _text(saved, "permission") or None
        record.executed = saved.get("executed") is True
        notes = saved.get("notes")
        record._notes = [str(note) for note in notes] if type(notes) is list else None
        steps = saved.get("steps")
        for step in steps if type(steps) is list else ():
            well = type(step) is list and [type(part) for part in step] in ([str, str, float], [str, str, int])
            if well and 0 <= step[2] < _MAX_MS:
                # As if the call had begun when it is loaded.
                record._marks += step[0], step[1], record._started_ns + int(step[2] * 1e6)
        return record

    def branch(self) -> "CallRecord":
        """A copy that goes its own way."""
        made = CallRecord(self.id, self.name, self.cell)
        made.take(self)
        return made

    def take(self, other: "CallRecord") -> None:
        """Becomes as another record of the same call is."""
        for name in (*_SAVED, "input", "result"):
            setattr(self, name, getattr(other, name))
        self._notes = None if other._notes is None else list(other._notes)
        self._marks, self._started_ns = list(other._marks), other._started_ns

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it (``docs/values.md`` for input and result)."""
        from ..protocol.json_text import clean, jsonable_or_text

        made: dict[str, Any] = {"id": self.id, "name": clean(self.name), "cell": self.cell, "state": self.state}
        made["input"] = jsonable_or_text(self.input)
        if self.state == COMPLETED and self.error is None:
            made["result"] = jsonable_or_text(self.result)
        if self.error is not None:
            made["error"] = {"type": clean(self.error[0]), "message": clean(self.error[1])}
        made["permission"] = None if self.permission is None else clean(self.permission)
        made["executed"] = self.executed
        made["durationMs"] = round(self.duration_ms, 3)
        made["steps"] = [{"step": step, "outcome": clean(how), "ms": round(ms, 3)} for step, how, ms in self.steps]
        made["notes"] = [clean(note) for note in self._notes or ()]
        return made

    def __repr__(self) -> str:
        return f"CallRecord({self.id!r}, {self.name!r}, {self.state!r})"


class CallEvent:
    """Something that happened in a call, for ``on_event``: ``kind`` is start, step, executing, complete or error;
    ``step`` and ``outcome`` as in the record."""

    __slots__ = ("call", "kind", "outcome", "step")

    def __init__(self, kind: str, call: CallRecord, step: str = "", outcome: str = "") -> None:
        self.kind: str = kind
        self.call: CallRecord = call
        self.step: str = step
        self.outcome: str = outcome

    def __repr__(self) -> str:
        return f"CallEvent({self.kind!r}, {self.call.id!r}, {self.step!r}, {self.outcome!r})"
