"""Event loops on which asynchronous capabilities, hooks and approvers run: that of the caller of ``execute``, or one of
ours for ``run``.

Tasks are not children of ``execute``: a capability that refuses to be cancelled must not hold it beyond its wall clock.
"""

from __future__ import annotations

import asyncio
import os
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, Protocol

from .effects import CANCELLED_, NEVER_BEGUN, OK, RAISED, TIMED_OUT, Outcome, Run

if TYPE_CHECKING:
    from .run import CallRun


class Task(Protocol):
    """Something that runs on a loop."""

    def cancel(self) -> None:
        """Asks it to end, from any thread."""


class Loop(Protocol):
    """Where coroutines run."""

    def spawn(self, effect: Run, run: CallRun) -> None:
        """Starts the effect's function there, from any thread; ``run.complete`` is told its outcome on the loop's
        thread."""


class _AsyncioTask:
    __slots__ = ("_loop", "_task", "asked", "timed_out")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._task: asyncio.Task[None] | None = None
        self.asked: bool = False
        self.timed_out: bool = False

    def cancel(self) -> None:
        self.asked = True
        try:
            self._loop.call_soon_threadsafe(self._cancel)
        except RuntimeError:  # the loop is closed, and the task with it
            pass

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def time_out(self) -> None:
        self.timed_out = True
        self._cancel()


class AsyncioLoop:
    """A running asyncio loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, context: Context) -> None:
        self._loop = loop
        self._context = context
        self._thread = get_ident()
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, effect: Run, run: CallRun) -> None:
        effect.task = _AsyncioTask(self._loop)
        if get_ident() == self._thread:
            self._start(effect, run)
            return
        try:
            self._loop.call_soon_threadsafe(self._start, effect, run)
        except RuntimeError as error:
            run.complete(effect, (RAISED, error))

    def _start(self, effect: Run, run: CallRun) -> None:
        task = effect.task
        assert isinstance(task, _AsyncioTask)
        if task.asked or effect.cancelled or effect.given_up:
            run.complete(effect, (NEVER_BEGUN, None))
            return
        effect.begun = True
        made = task._task = self._loop.create_task(self._drive(effect, run, task), context=self._context.copy())
        # The loop itself keeps weak references only.
        self._tasks.add(made)
        made.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step never gets to say so itself; any other has by then.
        made.add_done_callback(lambda _: run.complete(effect, (CANCELLED_, None)))

    async def _drive(self, effect: Run, run: CallRun, task: _AsyncioTask) -> None:
        timer = None
        if effect.timeout_ms is not None:
            timer = self._loop.call_later(effect.timeout_ms / 1000, task.time_out)
        outcome: Outcome
        try:
            outcome = (OK, await run.call_with_record(effect))
        except asyncio.CancelledError as error:
            # Asked for by us, or by the capability itself: that is a failure of its own.
            outcome = (TIMED_OUT, None) if task.timed_out else (CANCELLED_, None) if task.asked else (RAISED, error)
        except BaseException as error:
            outcome = (RAISED, error)
        finally:
            if timer is not None:
                timer.cancel()
        run.complete(effect, outcome)


class _TrioTask:
    __slots__ = ("_scope", "_token", "asked")

    def __init__(self, token: Any) -> None:
        self._token = token
        self._scope: Any = None
        self.asked: bool = False

    def cancel(self) -> None:
        self.asked = True
        trio = sys.modules["trio"]
        try:
            self._token.run_sync_soon(self._cancel)
        except trio.RunFinishedError:
            pass

    def _cancel(self) -> None:
        if self._scope is not None:
            self._scope.cancel()


class TrioLoop:
    """A running trio loop."""

    def __init__(self, token: Any, context: Context) -> None:
        self._token = token
        self._context = context
        self._thread = get_ident()

    def spawn(self, effect: Run, run: CallRun) -> None:
        effect.task = _TrioTask(self._token)
        if get_ident() == self._thread:
            self._start(effect, run)
            return
        trio = sys.modules["trio"]
        try:
            self._token.run_sync_soon(self._start, effect, run)
        except trio.RunFinishedError as error:
            run.complete(effect, (RAISED, error))

    def _start(self, effect: Run, run: CallRun) -> None:
        task = effect.task
        assert isinstance(task, _TrioTask)
        if task.asked or effect.cancelled or effect.given_up:
            run.complete(effect, (NEVER_BEGUN, None))
            return
        effect.begun = True
        trio = sys.modules["trio"]
        timeout = effect.timeout_ms
        deadline = trio.current_time() + timeout / 1000 if timeout else float("inf")
        # Here and not in the task: it may be cancelled before its first step.
        task._scope = trio.CancelScope(deadline=deadline)
        trio.lowlevel.spawn_system_task(self._drive, effect, run, task, context=self._context.copy())

    async def _drive(self, effect: Run, run: CallRun, task: _TrioTask) -> None:
        trio = sys.modules["trio"]
        scope = task._scope
        outcome: Outcome = (CANCELLED_, None)
        try:
            with scope:
                outcome = (OK, await run.call_with_record(effect))
        except trio.Cancelled:
            run.complete(effect, (CANCELLED_, None))
            raise
        except BaseException as error:
            outcome = (RAISED, error)
        else:
            if scope.cancelled_caught and not task.asked:
                outcome = (TIMED_OUT, None)
        run.complete(effect, outcome)


def loop_here(context: Context) -> AsyncioLoop | TrioLoop:
    """The loop that runs in this thread."""
    trio = sys.modules.get("trio")
    if trio is not None:
        try:
            return TrioLoop(trio.lowlevel.current_trio_token(), context)
        except RuntimeError:
            pass
    return AsyncioLoop(asyncio.get_running_loop(), context)


def runs_here() -> bool:
    """Whether an event loop runs in this thread."""
    if asyncio._get_running_loop() is not None:
        return True
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())


_lock = allocate_lock()
_ours: asyncio.AbstractEventLoop | None = None
_our_thread = 0


def our_loop(context: Context) -> AsyncioLoop:
    """The background loop of the process, for asynchronous capabilities under ``run``; started at first use."""
    global _ours
    with _lock:
        if _ours is None:
            ready = allocate_lock()
            ready.acquire()
            loop = asyncio.new_event_loop()
            try:
                start_new_thread(_run_ours, (loop, ready.release))
            except RuntimeError:
                loop.close()
                raise
            ready.acquire()
            _ours = loop
        made = AsyncioLoop(_ours, context)
    made._thread = _our_thread
    return made


def _run_ours(loop: asyncio.AbstractEventLoop, ready: Callable[[], None]) -> None:
    global _our_thread
    _our_thread = get_ident()
    asyncio.set_event_loop(loop)
    loop.call_soon(ready)
    loop.run_forever()


def _after_fork_in_child() -> None:
    global _ours, _lock
    _ours = None
    _lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
