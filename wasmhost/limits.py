"""Limits of a session and of a cell."""

from .errors import LimitsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_SCRIPT_MS = 600_000
MAX_WALL_MS = 600_000

# name: (default, least, most). Milliseconds may have a fraction; the rest are whole numbers. `None` as default: no
# limit of its own.
_RANGES: "dict[str, tuple[float | None, float, float]]" = {
    "script_ms": (1_000, 0, MAX_SCRIPT_MS),
    "fuel": (None, 1, 1 << 60),
    "wall_ms": (MAX_WALL_MS, 0, MAX_WALL_MS),
    "memory_bytes": (256 << 20, 1 << 20, 4 << 30),
    "stack_bytes": (4 << 20, 256 << 10, 64 << 20),
    "stdout_bytes": (256 << 10, 0, 1 << 30),
    "stderr_bytes": (64 << 10, 0, 1 << 30),
    "console_bytes": (52_428_800, 0, 1 << 40),
    "value_bytes": (8 << 20, 0, 1 << 30),
    "value_depth": (64, 1, 200),
    "text_chars": (100_000, 0, 10_000_000),
    "calls": (1_000, 0, 1_000_000),
    "parallel_calls": (64, 1, 1_000),
}
_CUT_WITH_NOTE = ("script_ms", "wall_ms")


class Limits:
    """What a session, or one cell of it, may use. Immutable; every limit is optional.

    Args:
        script_ms: time in which the guest's code runs or waits for its own timers; time in calls does not count.
            Above 600,000 it is cut to that, with a note in the result (row B1).
        fuel: exact budget of work in the guest, about one unit for two instructions; the same program uses the same on
            every machine.
        wall_ms: real time from the start of a cell, whatever it does (row B2). Above 600,000 it is cut as well.
        memory_bytes: size that the guest's memory may grow to. What the image itself needs is refused as too small
            when a session starts. For a cell, memory that earlier cells have taken already stays theirs.
        stack_bytes: the wasm stack; only for a whole session.
        stdout_bytes, stderr_bytes: how much of a stream is kept in a result: its beginning and its end, the rest is
            counted.
        console_bytes: how much output of both streams a cell may hand over in all before the rest is only counted.
        value_bytes, value_depth: size and nesting of the value that crosses.
        text_chars: length of ``value_text`` and of ``error``, and of all text that ``content`` and ``messages`` of a
            result show.
        calls: calls of capabilities in one cell.
        parallel_calls: calls of a session that are made at a time; the others wait. Only for a whole session.

    Raises:
        LimitsError: not a number, not finite, zero or negative where that makes no sense, or out of range.
    """

    __slots__ = ("_given", "notes", *_RANGES)

    script_ms: float
    fuel: int | None
    wall_ms: float
    memory_bytes: int
    stack_bytes: int
    stdout_bytes: int
    stderr_bytes: int
    console_bytes: int
    value_bytes: int
    value_depth: int
    text_chars: int
    calls: int
    parallel_calls: int
    notes: tuple[str, ...]
    _given: "dict[str, Any]"

    def __init__(
        self,
        *,
        script_ms: float | None = None,
        fuel: int | None = None,
        wall_ms: float | None = None,
        memory_bytes: int | None = None,
        stack_bytes: int | None = None,
        stdout_bytes: int | None = None,
        stderr_bytes: int | None = None,
        console_bytes: int | None = None,
        value_bytes: int | None = None,
        value_depth: int | None = None,
        text_chars: int | None = None,
        calls: int | None = None,
        parallel_calls: int | None = None,
    ) -> None:
        given = locals()
        self._fill({name: given[name] for name in _RANGES if given[name] is not None})

    def _fill(self, given: "dict[str, Any]") -> None:
        notes: list[str] = []
        put = object.__setattr__
        for name, (default, least, most) in _RANGES.items():
            value = given.get(name, default)
            put(self, name, value if value is None or name not in given else _checked(name, value, least, most, notes))
        put(self, "_given", given)
        put(self, "notes", tuple(notes))

    def narrowed(self, cell: "Limits") -> "Limits":
        """These limits with what ``cell`` gives, which may only be narrower.

        Raises:
            LimitsError: the cell asks for more than the session has, or for another stack.
        """
        for name in ("stack_bytes", "parallel_calls"):
            if name in cell._given and getattr(cell, name) != getattr(self, name):
                raise LimitsError(f"{name} belongs to a whole session: give it to the runtime, not to a cell")
        merged = dict(self._given)
        for name, value in cell._given.items():
            mine = getattr(self, name)
            if name in _CUT_WITH_NOTE:
                value = getattr(cell, name)
            if mine is not None and value > mine:
                raise LimitsError(
                    f"{name} of a cell can only be narrower than the session's: {value} is more than {mine}"
                )
            merged[name] = value
        made = Limits.__new__(Limits)
        made._fill(merged)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Limits cannot be changed; make a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("Limits cannot be changed; make a new one")

    def __repr__(self) -> str:
        return f"Limits({', '.join(f'{name}={value!r}' for name, value in self._given.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limits) and all(getattr(self, name) == getattr(other, name) for name in _RANGES)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _RANGES))


def _checked(name: str, value: "Any", least: float, most: float, notes: list[str]) -> "Any":
    milliseconds = name.endswith("_ms")
    wanted = "a number of milliseconds" if milliseconds else "a whole number"
    if isinstance(value, bool) or not isinstance(value, (int, float) if milliseconds else int):
        raise LimitsError(f"{name} must be {wanted}, not {value!r}")
    if value != value or value in (float("inf"), float("-inf")):
        raise LimitsError(f"{name} must be finite, not {value!r}")
    if value < least or (milliseconds and value <= 0):
        raise LimitsError(f"{name} must be {'above 0' if milliseconds else f'at least {least}'}, not {value!r}")
    if value > most:
        if name not in _CUT_WITH_NOTE:
            raise LimitsError(f"{name} must be at most {most}, not {value!r}")
        notes.append(f"{name} of {min(value, 1e300):g} is above the maximum and was cut to {most}")
        return most
    return value


DEFAULT_LIMITS = Limits()
