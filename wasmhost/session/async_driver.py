"""The async driver: the same steps as the blocking one, on asyncio or trio through anyio. Loaded at the first
``execute``."""

from _thread import allocate_lock
from time import perf_counter_ns

import anyio
from anyio.lowlevel import current_token

from ..errors import SessionBusy
from ..sandbox.stack import ensure_runner, submit
from .cell import CANCELLED, CLOSED, FINISH, Wait
from .session import Session, guest_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..capabilities.cell import CellCalls
    from ..capabilities.policy import Allow, Deny
    from ..limits import Limits
    from ..results import RuntimeFailure, RuntimeSuccess
    from ..sandbox.instance import Instance
    from .cell import CellRun, Effect
    from .session import Begin, MakeCalls, OnOutput


class ThreadSignal:
    """An event of this event loop that any thread may set."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        native: Any = current_token().native_token
        # asyncio's loop and trio's token name the same thing differently.
        soon = getattr(native, "call_soon_threadsafe", None) or native.run_sync_soon
        self._soon: Callable[[Callable[[], None]], object] = soon

    def set(self) -> None:
        try:
            self._soon(self._event.set)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    async def wait(self) -> None:
        await self._event.wait()

    async def wait_whatever_comes(self) -> None:
        """Returns when it is set and not before: asyncio's own ``Task.cancel`` goes through a shield."""
        with anyio.CancelScope(shield=True):
            while not self._event.is_set():
                try:
                    await self._event.wait()
                except anyio.get_cancelled_exc_class():
                    pass


async def _turn(session: Session, limited: bool) -> None:
    signal = ThreadSignal()
    wake = signal.set
    if session._turn.take_or_queue(wake, limited):
        return
    try:
        await signal.wait()
    except BaseException:
        session._turn.leave(wake)
        raise


async def _on_runner(session: Session, instance: "Instance", cell: "CellRun", effect: "Effect") -> "Effect":
    """Enters the guest on a runner thread. Returns only when the guest has returned, also when cancelled: then it
    was asked to stop."""
    outcome: list[Effect | BaseException] = []
    signal = ThreadSignal()
    finished = allocate_lock()
    finished.acquire()

    def job() -> None:
        try:
            following = guest_step(session, instance, cell, effect)
            while isinstance(following, Wait) and cell.calls is not None:
                if not _linger(instance, cell.calls, following):
                    break
                following = guest_step(session, instance, cell, cell.waited(None))
            outcome.append(following)
        except BaseException as error:
            outcome.append(error)

    def done() -> None:
        finished.release()
        signal.set()

    submit(job, done)
    try:
        await signal.wait()
    except GeneratorExit:
        # The coroutine is thrown away, so nothing can be awaited. The guest stops within its grace.
        instance.interrupt(CANCELLED)
        finished.acquire()
        raise
    except BaseException:
        if not outcome:
            instance.interrupt(CANCELLED)
            await signal.wait_whatever_comes()
        await _wind_up(session, instance, cell, _unwrap(outcome))
        raise
    return _unwrap(outcome)


# How long a runner thread waits for the answer of a call before the event loop does: a way through the loop and back
# to a runner costs more than most calls.
_LINGER_NS = 2_000_000


def _linger(instance: "Instance", calls: "CellCalls", wait: Wait) -> bool:
    """Whether there is news of a call within a moment. On a runner thread; what it has waited is taken off the wait."""
    if calls.has_news():
        return True
    if not calls.in_flight:
        return False
    start = perf_counter_ns()
    left = _LINGER_NS if wait.nanoseconds is None else min(_LINGER_NS, wait.nanoseconds)
    instance.wait_for(calls.has_news, start + left)
    if wait.nanoseconds is not None:
        wait.nanoseconds = max(0, wait.nanoseconds - (perf_counter_ns() - start))
    return calls.has_news()


def _unwrap(outcome: "list[Effect | BaseException]") -> "Effect":
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


async def _wait(session: Session, instance: "Instance", cell: "CellRun", nanoseconds: int | None) -> "Effect":
    meter, calls = instance.meter, instance.calls
    now = perf_counter_ns()
    deadline = None if nanoseconds is None else now + nanoseconds
    signal = ThreadSignal()
    instance.on_interrupt = signal.set
    # Waiting is the script's own only while no call is in flight.
    charged = calls is None or not calls.in_flight
    if charged:
        meter.start(now)
    try:
        while True:
            if calls is not None and calls.has_news():
                reason = None
                break
            now = perf_counter_ns()
            reason = instance.requested or meter.spent(now)
            if reason is not None or (deadline is not None and now >= deadline):
                break
            left = meter.left(now) + 1_000_000
            if deadline is not None:
                left = min(left, deadline - now)
            given_up = None if calls is None else calls.next_deadline()
            if given_up is not None:
                left = max(0, min(left, given_up - now))
            with anyio.move_on_after(left / 1e9):
                await signal.wait()
                signal = ThreadSignal()
                instance.on_interrupt = signal.set
            if calls is not None and given_up is not None:
                calls.expire(perf_counter_ns())
    except GeneratorExit:
        raise
    except BaseException:
        instance.requested = CANCELLED
        if charged:
            meter.stop(perf_counter_ns())
        await _wind_up(session, instance, cell, cell.waited(CANCELLED))
        raise
    finally:
        instance.on_interrupt = None
    if charged:
        meter.stop(perf_counter_ns())
    return cell.waited(reason)


async def _end_calls(instance: "Instance", cell: "CellRun") -> None:
    """Has the calls that the cell has left in flight end: cancelled, or given up after the grace."""
    calls = cell.calls
    if calls is None or not calls.in_flight:
        return
    signal = ThreadSignal()
    instance.on_interrupt = signal.set
    until = calls.begin_end()
    with anyio.CancelScope(shield=True):
        while calls.in_flight and (left := until - perf_counter_ns()) > 0:
            with anyio.move_on_after(left / 1e9):
                await signal.wait()
                signal = ThreadSignal()
                instance.on_interrupt = signal.set
    instance.on_interrupt = None
    calls.end()


async def _wind_up(session: Session, instance: "Instance", cell: "CellRun", effect: "Effect") -> None:
    """Has a cancelled cell end, so that the session can go on."""
    with anyio.CancelScope(shield=True):
        while effect is not FINISH:
            effect = (
                cell.waited(CANCELLED)
                if isinstance(effect, Wait)
                else await _on_runner(session, instance, cell, effect)
            )
        await _end_calls(instance, cell)


def _calls_of(session: Session, limits: "Limits") -> "MakeCalls":
    from contextvars import copy_context

    from ..capabilities.cell import CellCalls
    from ..capabilities.loops import loop_here

    capabilities = session._capabilities
    assert capabilities is not None
    context = copy_context()
    loop = loop_here(context)
    return lambda number, instance: CellCalls(capabilities, number, limits, instance, context, lambda: loop)


async def execute(
    session: Session, code: str, limits: "Limits", on_output: "OnOutput | None", handler: bool = False
) -> "RuntimeSuccess | RuntimeFailure":
    def begin() -> "tuple[CellRun, Effect, Instance]":
        make_calls = _calls_of(session, limits) if session._capabilities is not None else None
        return session._begin(code, limits, on_output, make_calls, handler)

    return await _run(session, begin)


async def resume(
    session: Session,
    approvals: "Mapping[str, Allow | Deny] | None",
    limits: "Limits | None",
    on_output: "OnOutput | None",
) -> "RuntimeSuccess | RuntimeFailure":
    from .saving import begin_again, limits_of_suspended

    def begin() -> "tuple[CellRun, Effect, Instance]":
        cell_limits = limits_of_suspended(session, limits)
        make_calls = _calls_of(session, cell_limits) if session._capabilities is not None else None
        return begin_again(session, approvals, cell_limits, on_output, make_calls)

    return await _run(session, begin)


def _refuse_from_within(session: Session) -> None:
    """A call of the cell that runs, waiting for the end of that cell, would wait until the wall clock ends both."""
    running = session._running
    if running is None or running.calls is None:
        return
    from ..capabilities.run import current_call

    record = current_call()
    if record is not None and record.state == "running" and any(one is record for one in running.calls.records):
        raise SessionBusy(
            f"{record.name} is called by the cell that runs, which cannot end before it: run this in another session, "
            "or after the cell"
        )


async def _run(session: Session, begin: "Begin") -> "RuntimeSuccess | RuntimeFailure":
    _refuse_from_within(session)
    await _turn(session, limited=True)
    try:
        await anyio.lowlevel.checkpoint_if_cancelled()
        ensure_runner()
        cell, effect, instance = begin()
        try:
            while effect is not FINISH:
                if isinstance(effect, Wait):
                    effect = await _wait(session, instance, cell, effect.nanoseconds)
                else:
                    effect = await _on_runner(session, instance, cell, effect)
            await _end_calls(instance, cell)
        except GeneratorExit:
            session._undo(cell, instance)
            raise
        except BaseException:
            # Cancelled, or interrupted in trio's way: the cell was seen to its end. Else it is a fault of the host.
            if cell.over:
                session._end(cell, instance)
            else:
                session._abandon(instance, cell)
            raise
        return session._end(cell, instance)
    finally:
        session._turn.give()


async def reset(session: Session) -> None:
    session._check_usable()
    session._interrupt(CANCELLED)
    await _turn(session, limited=False)
    session._drop_and_pass_on()
    session._log_reset()


async def aclose(session: Session) -> None:
    session._closed = True
    session._interrupt(CLOSED)
    signal = ThreadSignal()

    def end() -> None:
        try:
            session._drop_and_pass_on()
        finally:
            signal.set()

    # Whoever waits here may be cancelled; the session is freed all the same.
    if session._turn.take_or_queue(end, limited=False):
        session._drop_and_pass_on()
        return
    await signal.wait()
