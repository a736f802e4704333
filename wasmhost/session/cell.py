"""One cell as a state machine: frames and times go in, effects and at last a result come out. No threads, no
clock, no I/O."""

from ..errors import ProtocolError
from ..protocol.frames import (
    FAILED,
    START_HANDLER,
    START_HOLD,
    START_LIVE,
    START_LOOK,
    START_TYPESCRIPT,
    WAITING,
    Done,
    ErrorFrame,
    Failed,
    read,
    start_head,
)
from ..results import MutableResult, Stop, cut_and_media, cut_error
from .output import CellOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..capabilities.cell import CellCalls
    from ..limits import Limits
    from ..results import RuntimeFailure, RuntimeSuccess
    from ..sandbox.instance import Broken, Frame
    from ..sandbox.meter import Meter
    from .journal import Entry

# Limits by which a person, not a budget, ended a cell.
CANCELLED, INTERRUPTED, CLOSED = "cancelled", "interrupted", "closed"

_TEXT = {
    "script": ("TimeoutError", "script time of {limits.script_ms:g} ms is spent"),
    "wall": ("TimeoutError", "wall time of {limits.wall_ms:g} ms is spent"),
    "fuel": ("TimeoutError", "fuel of {limits.fuel} is spent"),
    "memory": ("MemoryError", "the memory limit of {limits.memory_bytes} bytes is reached"),
    "stack": ("RecursionError", "the call stack of {limits.stack_bytes} bytes is exhausted"),
    CANCELLED: ("CancelledError", "the cell was cancelled by the host"),
    INTERRUPTED: ("KeyboardInterrupt", "the cell was interrupted"),
    CLOSED: ("CancelledError", "the session was closed while the cell ran"),
}


_STATE_NOTES = {
    "restored": "the session went back to the state before this cell",
    "lost": "the session's variables are gone: the next cell starts in a fresh sandbox",
}


class Start:
    """Effect: enter the guest with a new cell."""

    __slots__ = ("head", "source")

    def __init__(self, head: bytes, source: bytes) -> None:
        self.head: bytes = head
        self.source: bytes = source


class Resume:
    """Effect: enter the guest again with these events; None: with what there is of calls by then."""

    __slots__ = ("events", "stopping")

    def __init__(self, events: bytes | None, stopping: str | None = None) -> None:
        self.events: bytes | None = events
        self.stopping: str | None = stopping


class Rejoin:
    """Effect: run the cell again up to the blocking call in which it was left."""

    __slots__ = ()


class Wait:
    """Effect: nothing to run for that many nanoseconds, or until there is news of a call; None: only that."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int | None) -> None:
        self.nanoseconds: int | None = nanoseconds


class Finish:
    """Effect: the cell is over; ask :meth:`CellRun.result`."""

    __slots__ = ()


FINISH = Finish()
Effect = Start | Resume | Rejoin | Wait | Finish


class CellRun:
    """The course of one cell. The driver does what an effect says and reports back with :meth:`answered`,
    :meth:`broke` or :meth:`waited`."""

    __slots__ = (
        "_answer",
        "_broken",
        "_limits",
        "_problem",
        "calls",
        "entry",
        "lost",
        "meter",
        "new_seed",
        "number",
        "output",
        "rebuilds",
        "remark",
        "seeded",
        "state",
        "told",
        "waits",
        "went_on",
    )

    def __init__(
        self, number: int, limits: "Limits", meter: "Meter", output: CellOutput, calls: "CellCalls | None" = None
    ) -> None:
        self.number: int = number
        self.calls: CellCalls | None = calls
        self.meter: Meter = meter
        self.output: CellOutput = output
        # Whether the instance cannot be used any more, and what became of the session's state then.
        self.lost: bool = False
        self.state: Literal["kept", "restored", "lost"] = "kept"
        self.entry: Entry | None = None
        # Whether the guest had been seeded and told of its tools before the cell.
        self.seeded: bool = False
        self.told: bool = False
        # For a cell that goes on in a copy of its session, until the guest has it.
        self.new_seed: bytes | None = None
        # Whether the guest waits, so that its stack is empty.
        self.waits: bool = False
        # Whether it goes on in an instance in which the cells before it have yet to be run.
        self.rebuilds: bool = False
        # Whether it was suspended in between.
        self.went_on: bool = False
        # What the host has to say beside the result.
        self.remark: str = ""
        self._limits = limits
        self._answer: Done | Failed | None = None
        self._broken: Broken | None = None
        self._problem: tuple[str, str] | None = None

    @property
    def memory_bytes(self) -> int:
        return self._limits.memory_bytes

    @property
    def limits(self) -> "Limits":
        return self._limits

    def start(
        self,
        source: bytes,
        seed: bytes | None,
        live: bool,
        tools: bytes = b"",
        handler: bool = False,
        typescript: bool = False,
        look: bool = False,
        hold: bool = False,
    ) -> Start:
        """``tools``: the manifest, if the guest has yet to learn of them. ``handler``: the source is no code but
        names a registered tool. ``look``: it asks for the variables. ``hold``: timers that the cell leaves are kept."""
        limits = self._limits
        flags = START_LIVE if live else 0
        if look:
            flags |= START_LOOK
        elif handler:
            flags |= START_HANDLER
        elif typescript:
            flags |= START_TYPESCRIPT
        if hold:
            flags |= START_HOLD
        return Start(
            start_head(
                self.number,
                flags,
                seed,
                limits.value_bytes,
                limits.value_depth,
                limits.text_chars,
                len(source),
                len(tools),
            ),
            source + tools,
        )

    def refuse(self, kind: str, message: str) -> Finish:
        """For code that is not worth entering the guest for."""
        self._problem = (kind, message)
        return FINISH

    def answered(self, frame: "Frame") -> Effect:
        limits = self._limits
        try:
            answer = read(
                frame.status, frame.flags, frame.head, frame.attachments, limits.value_bytes, limits.value_depth
            )
        except ProtocolError as error:
            self._problem = ("ProtocolError", f"the guest gave back a result that cannot be read: {error}")
            self.lost = True
            return FINISH
        if frame.status != WAITING:
            self._answer = answer  # type: ignore[assignment]
            return FINISH
        assert not isinstance(answer, (Done, Failed))
        if answer.timer is None and not (self.calls is not None and (self.calls.in_flight or self.calls.has_news())):
            # A guest finds this by itself; one that does not is not to be waited for.
            self._problem = ("DeadlockError", "the cell waits for something that can never happen")
            self.lost = True
            return FINISH
        if self.calls is not None:
            self.calls.guest_waits(answer.timer is None, answer.held)
        return Wait(answer.timer)

    def waited(self, stopping: str | None) -> "Resume | Finish":
        """After a :class:`Wait`; ``stopping`` names the limit that was spent or the request that came meanwhile."""
        if stopping is None:
            if self.calls is not None and self.calls.wants_suspension:
                self.calls.suspend()
                return FINISH
            return Resume(None)
        kind, message = self._stop_text(stopping)
        return Resume(f'{{"cancel":{{"type":"{kind}","message":"{message}"}}}}'.encode(), stopping)

    def broke(self, broken: "Broken") -> Finish:
        # Its frames hold this cell and copies of the source: a circle that only the collector would free.
        self._broken = broken.with_traceback(None)
        self.lost = True
        return FINISH

    def _stop_text(self, limit: str) -> tuple[str, str]:
        kind, message = _TEXT[limit]
        return kind, message.format(limits=self._limits)

    @property
    def over(self) -> bool:
        """Whether the cell has come to its end."""
        return self._answer is not None or self._broken is not None or self._problem is not None or self.suspended

    @property
    def suspended(self) -> bool:
        """Whether it has come to a point from which only decisions that are not there yet lead on."""
        return self.calls is not None and self.calls.suspended is not None and self.state != "lost"

    # ---- result ----

    def result(self, now: int, stop_limit: str | None, layer: str | None) -> "RuntimeSuccess | RuntimeFailure":
        """The result, from what the host saw (``stop_limit``, ``layer``: the instance's own state) and, where it
        saw no stop, what the guest says."""
        made = MutableResult()
        meter = self.meter
        made.status = "done"
        made.value = made.error = made.error_type = made.error_message = made.stop = None
        made.has_value = made.value_truncated = False
        made.value_text = made.stdout = made.stderr = made.background_stdout = made.background_stderr = ""
        made.elided_stdout = made.elided_stderr = 0
        made.error_frames = made.calls = made.registered_tools = made.media = made.notes = ()
        suspended = self.suspended
        # A suspended cell that was left in the middle of a call is brought back there: nothing is gone.
        made.state = "kept" if suspended and self.state == "restored" else self.state
        made.fuel = meter.fuel_used
        made.script_ms = meter.script_used(now) / 1e6
        made.duration_ms = made.wall_ms = (now - meter.started) / 1e6
        output = self.output
        made.text_limit = self._limits.text_chars
        if not output.silent:
            made.stdout, made.elided_stdout = output.text(1)
            made.stderr, made.elided_stderr = output.text(2)
            made.background_stdout, made.background_stderr = output.background()
        extra: list[str] | tuple[()] = ()
        if self._broken is not None and stop_limit is None:
            stop_limit, layer = self._broken.limit, "hard"
        if suspended:
            made.status = "suspended"
            self._fail(made, "Suspended", self._suspension_text())
        elif stop_limit is not None:
            self._stopped(made, stop_limit, layer or "hard")
        elif self._broken is not None:
            self._fail(made, "GuestCrash", self._broken.text)
        elif self._problem is not None:
            self._fail(made, *self._problem)
        elif isinstance(self._answer, Done):
            answer = self._answer
            made.value, made.has_value = answer.value, answer.has_value
            made.value_text, made.value_truncated = answer.value_text, answer.truncated
            if answer.truncated or answer.attachments:
                extra = cut_and_media(made, answer, self._limits)
        else:
            answer_ = self._answer
            assert answer_ is not None
            made.error, made.error_type, made.error_message = answer_.text, answer_.type, answer_.message
            made.error_frames = tuple(answer_.frames)
            if answer_.truncated or len(answer_.text) > self._limits.text_chars:
                extra = cut_error(made)
        notes = [*self._limits.notes, *extra]
        calls = self.calls
        if calls is not None:
            made.calls = tuple(calls.records)
            notes += calls.notes()
            before = calls.before
            made.registered_tools = tuple(
                tool.definition for name, tool in calls.session.registered.tools.items() if before.get(name) is not tool
            )
        if self._answer is not None and self._answer.notes:
            notes += self._answer.notes
        if self.state != "kept" and not suspended:
            notes.append(_STATE_NOTES[self.state])
        if self.remark:
            notes.append(self.remark)
        if notes:
            made.notes = tuple(notes)
        return made.finish()

    def _suspension_text(self) -> str:
        assert self.calls is not None
        waits = [one for one in self.calls.suspended or () if one.approval is not None]
        calls = ", ".join(f"{one.record.name} (call {one.record.id})" for one in waits[:5])
        more = f" and {len(waits) - 5} more" if len(waits) > 5 else ""
        return f"the cell waits for an approval of {calls}{more}; it goes on with resume(), and is not to be run again"

    def _fail(self, made: MutableResult, kind: str, message: str, frames: "tuple[ErrorFrame, ...]" = ()) -> None:
        made.error_type, made.error_message = kind, message
        made.error_frames = frames
        made.error = "\n".join([f"{kind}: {message}", *(_place(frame) for frame in frames)])

    def _stopped(self, made: MutableResult, limit: str, layer: str) -> None:
        kind, message = self._stop_text(limit)
        if layer == "hard":
            message += (
                "; the sandbox did not stop when asked to and was ended"
                if limit not in ("fuel", "memory", "stack")
                else ""
            )
        frames = tuple(self._answer.frames) if isinstance(self._answer, Failed) else ()
        self._fail(made, kind, message, frames)
        used: float = {"fuel": made.fuel, "script": made.script_ms, "memory": 0, "stack": self._limits.stack_bytes}.get(
            limit, made.wall_ms
        )
        made.stop = Stop(limit, layer, used)


def _place(frame: ErrorFrame) -> str:
    where = f"cell {frame.cell}, line {frame.line}" if frame.cell is not None else f"line {frame.line}"
    return f"    at {frame.function} ({where})" if frame.function else f"    at {where}"


__all__ = [
    "CANCELLED",
    "CLOSED",
    "FAILED",
    "FINISH",
    "INTERRUPTED",
    "CellRun",
    "Effect",
    "Finish",
    "Rejoin",
    "Resume",
    "Start",
    "Wait",
]
