"""A call on its way through the pipeline: one owner at a time, whichever thread that is."""

from __future__ import annotations

from _thread import LockType, allocate_lock, get_ident
from contextvars import ContextVar
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from .effects import ABANDONED, NEVER_BEGUN, OK, RAISED, Effect, Enter, Handler, Outcome, Run, RunInline
from .pipeline import error_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from .approval import ApprovalRequest
    from .cell import CellCalls
    from .pipeline import Course, Reply
    from .record import CallRecord

_current: ContextVar[CallRecord | None] = ContextVar("wasmhost_call", default=None)


def current_call() -> CallRecord | None:
    """In a capability: the record of the call that runs it (``id``, ``name``, ``input``); None elsewhere."""
    return _current.get()


def at_once(cell: CellCalls, course: Course, record: CallRecord) -> tuple[Reply | None, Effect | None]:
    """Drives a new course in the guest's thread for as long as it asks for nothing but functions that return at once:
    its reply, or the first effect that is not of that kind. Most calls of such functions end here, and need no
    :class:`CallRun`."""
    try:
        effect = next(course)
        while type(effect) is RunInline:
            effect = course.send(_in_place(cell, record, effect.function, effect.kwargs))
    except StopIteration as stop:
        return stop.value, None
    except BaseException as fault:
        return _broken(record, fault), None
    return None, effect


def _broken(record: CallRecord, fault: BaseException) -> Reply:
    """A predicate of a rule, or a fault of ours: the call was refused at that step."""
    record.state = "failed" if not record.executed else "unknown"
    record.error = ("RuntimeError", f"the pipeline failed: {type(fault).__name__}")
    return error_reply(*record.error, record.id)


def _in_place(cell: CellCalls, record: CallRecord, function: Callable[..., Any], kwargs: dict[str, Any]) -> Outcome:
    """Calls a function in the guest's thread; that time is not the guest's."""
    meter = cell.instance.meter
    charged = meter.pause(perf_counter_ns())
    token = _current.set(record)
    try:
        return OK, function(**kwargs)
    except BaseException as error:  # sys.exit() in a capability is its failure, and not the end of the program
        return RAISED, error
    finally:
        _current.reset(token)
        if charged:
            meter.start(perf_counter_ns())


class CallRun:
    """Drives one course of the pipeline.

    The thread that finishes an effect goes on with the course. Completion, cancelling and giving up race: whoever takes
    ``_effect`` first wins, what comes later is dropped.
    """

    __slots__ = (
        "_course",
        "_effect",
        "cancelling",
        "cell",
        "done",
        "followers",
        "guest_id",
        "guest_thread",
        "in_guest_thread",
        "keeps_input",
        "lock",
        "parked",
        "record",
        "reply",
        "request",
        "request_bytes",
    )

    def __init__(self, cell: CellCalls, course: Course, record: CallRecord, guest_id: int | None) -> None:
        self.cell: CellCalls = cell
        self.record: CallRecord = record
        self.guest_id: int | None = guest_id  # None: the guest waits in place
        self.lock: LockType = allocate_lock()
        # True while the request itself is served; what comes to its end later has to be announced.
        self.in_guest_thread: bool = True
        self.guest_thread: int = get_ident()
        self.cancelling: bool = False
        self.done: bool = False
        self.reply: Reply | None = None
        self.request_bytes: int = 0
        self.keeps_input: bool = True
        # The message of the guest, from which the call can be made anew elsewhere.
        self.request: bytes = b""
        # What somebody has to decide about, and nobody in this process will.
        self.parked: ApprovalRequest | None = None
        self.followers: list[Callable[[], object]] | None = None
        self._course = course
        self._effect: Effect | None = None

    def advance(self, outcome: Outcome | None) -> None:
        """Begins the course, or goes on with it, as far as nothing has to be waited for."""
        try:
            effect = self._course.send(outcome)  # type: ignore[arg-type]
        except StopIteration as stop:
            self._finish(stop.value)
        except BaseException as fault:
            self._finish(_broken(self.record, fault))
        else:
            self.begin(effect)

    def begin(self, effect: Effect) -> None:
        """Begins what the course has come to, and goes on with it if that is done at once."""
        while True:
            self._effect = effect
            outcome: Outcome | None
            if self.cancelling:
                outcome = (NEVER_BEGUN, None)
            else:
                try:
                    outcome = effect.begin(self)
                except BaseException as error:
                    outcome = (RAISED, error)
                if outcome is None:
                    if self.cell.in_order:
                        # Whether time may pass hangs on what each call waits for.
                        self.cell.instance.wake()
                    return
            with self.lock:
                if self._effect is not effect:  # given up meanwhile, and with it the course went on
                    return
                self._effect = None
            try:
                effect = self._course.send(outcome)
            except StopIteration as stop:
                self._finish(stop.value)
                return
            except BaseException as fault:
                self._finish(_broken(self.record, fault))
                return

    def _finish(self, reply: Reply) -> None:
        self.reply = reply
        with self.lock:
            self.done = True
            followers = self.followers
        self.cell.finished(self)
        for tell in followers or ():
            tell()

    def follow(self, tell: Callable[[], object]) -> bool:
        """Has somebody told when the call is done; False: it is."""
        with self.lock:
            if self.done:
                return False
            self.followers = [*(self.followers or ()), tell]
            return True

    def complete(self, effect: Effect, outcome: Outcome) -> bool:
        """The outcome of an effect, from any thread. False: it comes too late and is dropped."""
        with self.lock:
            if self._effect is not effect:
                return False
            self._effect = None
        self.advance(outcome)
        return True

    def cancel(self) -> None:
        """Asks for an early end, from any thread."""
        self.cancelling = True
        effect = self._effect
        if effect is not None:
            effect.cancel(self)

    def refuse(self, why: str) -> None:
        """Ends a call that waits, or whose handler does, for what can never come."""
        effect = self._effect
        if isinstance(effect, (Enter, Handler)):
            effect.refuse(self, why)

    def give_up(self) -> None:
        """Ends the call for the guest, whatever still runs."""
        with self.lock:
            effect, self._effect = self._effect, None
        if effect is not None:
            effect.abandon(self)
            self.advance((ABANDONED, None))

    def leave(self) -> None:
        """Ends the course where it is, with no outcome: it is made anew when its cell goes on."""
        with self.lock:
            self._effect = None
        self._course.close()

    @property
    def waits_for_guest(self) -> bool:
        """Whether only the guest can make it go on: it runs a handler there, or waits behind one that does."""
        return self.runs_handler or self.waits_for_room

    @property
    def waits_for_room(self) -> bool:
        return isinstance(self._effect, Enter)

    @property
    def runs_handler(self) -> bool:
        return isinstance(self._effect, Handler)

    @property
    def deadline_ns(self) -> int | None:
        """When it has to be given up."""
        effect = self._effect
        return None if effect is None else effect.deadline_ns

    def call_with_record(self, effect: Run) -> Any:
        """Calls the function of an effect, in a context of its own, so that it can ask for its call."""
        _current.set(self.record)
        return effect.function(*effect.args, **effect.kwargs)

    def in_place(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> Outcome:
        """Calls a function in this thread, whichever that is."""
        if self.guest_thread == get_ident():
            return _in_place(self.cell, self.record, function, kwargs)
        token = _current.set(self.record)
        try:
            return OK, function(**kwargs)
        except BaseException as error:
            return RAISED, error
        finally:
            _current.reset(token)
