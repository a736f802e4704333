"""What the pipeline asks of whoever drives it, and how each thing is begun, cancelled and given up."""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..errors import CapabilityError
from .workers import MAX_ABANDONED_OF_ONE, workers

if TYPE_CHECKING:
    from .approval import ApprovalRequest
    from .capability import Capability
    from .loops import Task
    from .run import CallRun

# How an effect came out. OK and RAISED carry the value or the exception.
OK, RAISED = "ok", "raised"
TIMED_OUT = "timed out"  # cancelled at its own timeout, and seen to its end
CANCELLED_ = "cancelled"  # cancelled from outside, and seen to its end
NEVER_BEGUN = "never begun"
ABANDONED = "abandoned"  # still running somewhere; nobody waits for it

Outcome = tuple[str, Any]


class Effect:
    """Begun by :meth:`begin`, in whatever thread the pipeline is in. Either that gives the outcome, or None and
    ``run.complete(effect, outcome)`` is called once later, from any thread."""

    deadline_ns: int | None = None

    def begin(self, run: CallRun) -> Outcome | None:
        raise NotImplementedError

    def cancel(self, run: CallRun) -> None:
        """Asks for an early end. Its outcome still comes through ``complete``."""

    def abandon(self, run: CallRun) -> None:
        """The outcome will be dropped."""


class Run(Effect):
    """Runs a function of the host program: on a worker thread, or on the event loop."""

    __slots__ = (
        "abandon_ms",
        "args",
        "begun",
        "cancelled",
        "deadline_ns",
        "ended",
        "function",
        "given_up",
        "is_async",
        "kwargs",
        "task",
        "timeout_ms",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_async: bool,
        *,
        timeout_ms: float | None = None,
        abandon_ms: float | None = None,
    ) -> None:
        self.function: Callable[..., Any] = function
        self.args: tuple[Any, ...] = args
        self.kwargs: dict[str, Any] = kwargs
        self.is_async: bool = is_async
        self.timeout_ms: float | None = timeout_ms
        self.abandon_ms: float | None = abandon_ms
        self.deadline_ns: int | None = None
        self.begun: bool = False
        self.ended: bool = False
        self.cancelled: bool = False
        self.given_up: bool = False
        self.task: Task | None = None

    def begin(self, run: CallRun) -> Outcome | None:
        if self.abandon_ms is not None:
            self.deadline_ns = perf_counter_ns() + int(self.abandon_ms * 1e6)
        if self.is_async:
            run.cell.loop().spawn(self, run)
        elif run.cell.session.abandoned >= MAX_ABANDONED_OF_ONE:
            return RAISED, CapabilityError(
                f"{MAX_ABANDONED_OF_ONE} calls of this session were given up and still run: no more until one returns"
            )
        else:
            workers.submit(lambda: self._work(run))
        return None

    def _work(self, run: CallRun) -> None:
        with run.lock:
            if self.given_up or self.cancelled:
                stays_away = True
            else:
                stays_away = False
                self.begun = True
        if stays_away:
            run.complete(self, (NEVER_BEGUN, None))
            return
        outcome: Outcome
        try:
            outcome = (OK, run.cell.context.copy().run(run.call_with_record, self))
        except BaseException as error:
            outcome = (RAISED, error)
        with run.lock:
            self.ended = True
            given_up = self.given_up
        if given_up:
            workers.returned(run.cell.session)
        run.complete(self, outcome)

    def cancel(self, run: CallRun) -> None:
        with run.lock:
            self.cancelled = True
            begun = self.begun
        if self.is_async:
            if self.task is not None:
                self.task.cancel()
        elif not begun:
            # It waits for a thread; nothing has happened yet.
            run.complete(self, (NEVER_BEGUN, None))

    def abandon(self, run: CallRun) -> None:
        with run.lock:
            self.given_up = True
            runs = self.begun and not self.ended
        if runs and not self.is_async:
            workers.abandon(run.cell.session)


class RunInline(Effect):
    """Runs a function that returns at once: in the guest's thread, or in whatever thread the course has come to."""

    __slots__ = ("function", "kwargs")

    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        self.function: Callable[..., Any] = function
        self.kwargs: dict[str, Any] = kwargs

    def begin(self, run: CallRun) -> Outcome | None:
        return run.in_place(self.function, self.kwargs)


class Handler(Effect):
    """Runs the handler of a registered tool in the guest."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: Any, arguments: dict[str, Any]) -> None:
        self.name: str = name
        self.arguments: dict[str, Any] = arguments

    def begin(self, run: CallRun) -> Outcome | None:
        return run.cell.ask_guest(run, self)

    def cancel(self, run: CallRun) -> None:
        run.cell.forget_handler(run)
        run.complete(self, (CANCELLED_, None))

    def refuse(self, run: CallRun, why: str) -> None:
        """It will never end."""
        run.cell.forget_handler(run)
        run.complete(self, (RAISED, CapabilityError(f"{run.record.name}: {why}", type="DeadlockError")))


class Park(Effect):
    """Waits for an answer that is not there yet: nothing in this process will bring it."""

    __slots__ = ("request",)

    def __init__(self, request: ApprovalRequest) -> None:
        self.request: ApprovalRequest = request

    def begin(self, run: CallRun) -> Outcome | None:
        run.parked = self.request
        run.cell.instance.wake()
        return None

    def cancel(self, run: CallRun) -> None:
        run.complete(self, (CANCELLED_, None))


class Follow(Effect):
    """Waits for the same call, which the session makes that this one is a branch of."""

    __slots__ = ("original",)

    def __init__(self, original: CallRun) -> None:
        self.original: CallRun = original

    def begin(self, run: CallRun) -> Outcome | None:
        if self.original.follow(lambda: run.complete(self, (OK, None))):
            return None
        return OK, None

    def cancel(self, run: CallRun) -> None:
        run.complete(self, (CANCELLED_, None))


class Enter(Effect):
    """Waits for a place in a room."""

    __slots__ = ("capability", "given_up", "inside", "room")

    def __init__(self, room: Room, capability: Capability | None) -> None:
        self.room: Room = room
        self.capability: Capability | None = capability
        self.inside: bool = False
        self.given_up: bool = False

    def begin(self, run: CallRun) -> Outcome | None:
        if self.room.enter(self, run):
            return OK, None
        if self.given_up:  # cancelled before it came here
            return NEVER_BEGUN, None
        run.cell.break_deadlock()
        run.cell.instance.wake()  # a guest that waits in place looks whether it waits for itself
        return None

    def cancel(self, run: CallRun) -> None:
        if self.room.give_up(self):
            run.complete(self, (NEVER_BEGUN, None))

    def refuse(self, run: CallRun, why: str) -> None:
        """It would wait for ever."""
        if self.room.give_up(self):
            run.complete(self, (NEVER_BEGUN, why))

    def abandon(self, run: CallRun) -> None:
        if not self.room.give_up(self) and self.inside:
            self.room.leave(self.capability)


class Room:
    """How many calls of a session may run at a time, in all and of one capability; some only alone. Whoever waits is
    let in in order. Thread-safe."""

    def __init__(self, places: int) -> None:
        self.places: int = places
        self.has_exclusive: bool = False
        self._lock = allocate_lock()
        self._inside = 0
        self._alone = False
        self._of: dict[str, int] = {}
        self._waiting: deque[tuple[Enter, CallRun]] = deque()
        self._admitted: deque[tuple[Enter, CallRun]] = deque()
        self._admitting = False

    def counts(self, capability: Capability) -> bool:
        """Whether a call has to ask for a place at all: one that ends before anything else can happen does not."""
        return not capability.inline or self.has_exclusive

    def enter(self, effect: Enter, run: CallRun) -> bool:
        """True: the place is taken. False: the effect completes when there is one."""
        with self._lock:
            if effect.given_up:
                return False
            # Those that wait for a place of their own capability are no reason to wait; one that must be alone is.
            blocked = any(item[0].capability is not None and item[0].capability.exclusive for item in self._waiting)
            if not blocked and self._free(effect.capability):
                self._take(effect)
                return True
            self._waiting.append((effect, run))
            return False

    def give_up(self, effect: Enter) -> bool:
        """Takes a waiting one out; False: it has got its place meanwhile."""
        with self._lock:
            effect.given_up = True
            for item in self._waiting:
                if item[0] is effect:
                    self._waiting.remove(item)
                    return True
            return False

    def leave(self, capability: Capability | None) -> None:
        with self._lock:
            self._inside -= 1
            self._alone = False
            if capability is not None and capability.concurrency is not None:
                self._of[capability.name] -= 1
            # One whose capability is full lets those behind it pass.
            for item in list(self._waiting):
                if self._free(item[0].capability):
                    self._take(item[0])
                    self._waiting.remove(item)
                    self._admitted.append(item)
                elif item[0].capability is not None and item[0].capability.exclusive:
                    break
            if self._admitting:  # further up on this stack, or in another thread
                return
            self._admitting = True
        # One after the other and not from within: each may leave at once and let the next one in.
        while True:
            with self._lock:
                if not self._admitted:
                    self._admitting = False
                    return
                effect, run = self._admitted.popleft()
            try:
                run.complete(effect, (OK, None))
            except BaseException:
                self._admitting = False
                raise

    def _free(self, capability: Capability | None) -> bool:
        if self._inside >= self.places or self._alone:
            return False
        if capability is None:
            return True
        if capability.exclusive and self._inside:
            return False
        return capability.concurrency is None or self._of.get(capability.name, 0) < capability.concurrency

    def _take(self, effect: Enter) -> None:
        effect.inside = True
        capability = effect.capability
        self._inside += 1
        if capability is None:
            return
        if capability.exclusive and not capability.in_guest:
            # A handler in the guest is alone when it starts; what it calls itself must be let in beside it.
            self._alone = True
        if capability.concurrency is not None:
            self._of[capability.name] = self._of.get(capability.name, 0) + 1
