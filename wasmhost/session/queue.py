"""Cells that are handed in without waiting for them, and told when they have settled (row B21)."""

from collections import deque
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias

import anyio

from ..errors import SessionBusy, SessionClosed
from .turnstile import MAX_QUEUED

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from ..limits import Limits
    from ..results import RuntimeFailure, RuntimeSuccess

    Result: TypeAlias = RuntimeSuccess | RuntimeFailure
    Withhold: TypeAlias = Callable[["CellSettled"], bool | Awaitable[bool]]

    class Executes(Protocol):
        async def execute(self, code: str, *, limits: "Limits | None" = None) -> Result: ...


class CellSettled:
    """A cell of a queue has settled: ``number`` as :meth:`CellQueue.submit` gave it, ``status`` ``"settled"`` or
    ``"withheld"``, ``result`` (None where it was withheld), and ``error``: what ``execute`` raised, as when the session
    was closed."""

    __slots__ = ("error", "number", "result", "status")

    def __init__(self, number: int, result: "Result | None", error: Exception | None = None) -> None:
        self.number: int = number
        self.status: Literal["settled", "withheld"] = "settled"
        self.result: Result | None = result
        self.error: Exception | None = error

    def __repr__(self) -> str:
        return f"CellSettled({self.number}, {self.status!r}, {self.result or self.error!r})"


class CellQueue:
    """Up to eight cells of one session, queued or running, in order. Made by ``session.queue()``; of one event loop::

        async with session.queue() as queue:
            queue.submit("1 + 1")
            queue.submit("2 + 2")
            async for event in queue:
                print(event.number, event.result)

    Leaving the block waits for the cells that were handed in; leaving it by an exception cancels them.

    Args:
        withhold: asked about each settled cell; True: its result is not given out, and the event says so. Async or not.
            One that raises withholds.
    """

    def __init__(self, session: "Executes", withhold: "Withhold | None" = None) -> None:
        self._session = session
        self._withhold = withhold
        self._waiting: deque[tuple[int, str, Limits | None]] = deque()
        self._settled: deque[CellSettled] = deque()
        self._pending = 0
        self._number = 0
        self._ends = False
        self._changed = anyio.Event()
        self._group: TaskGroup | None = None

    def submit(self, code: str, *, limits: "Limits | None" = None) -> int:
        """Hands a cell in and gives its number in the queue, from 1. Does not wait.

        Raises:
            SessionBusy: eight are queued or running.
            SessionClosed: outside of the ``async with`` block.
        """
        if self._group is None or self._ends:
            raise SessionClosed("cells are handed in inside of the queue's `async with` block")
        if self._pending >= MAX_QUEUED:
            raise SessionBusy(f"{MAX_QUEUED} cells of this queue are queued or running: wait until one has settled")
        self._pending += 1
        self._number += 1
        self._waiting.append((self._number, code, limits))
        self._tell()
        return self._number

    @property
    def pending(self) -> int:
        """How many are queued or running."""
        return self._pending

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> CellSettled:
        """The next settled cell; the iteration ends when none is left."""
        while not self._settled:
            if not self._pending:
                raise StopAsyncIteration
            await self._changed.wait()
        return self._settled.popleft()

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._work)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        assert self._group is not None
        self._ends = True
        self._tell()
        if kind is not None:
            self._group.cancel_scope.cancel()
        try:
            return await self._group.__aexit__(kind, error, traceback)
        except BaseExceptionGroup:
            if error is None:
                raise
            # The block's own exception in a group by itself: the worker raises nothing.
            return False

    def _tell(self) -> None:
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def _work(self) -> None:
        while True:
            while not self._waiting:
                if self._ends:
                    return
                await self._changed.wait()
            number, code, limits = self._waiting.popleft()
            try:
                event = CellSettled(number, await self._session.execute(code, limits=limits))
            except Exception as error:
                event = CellSettled(number, None, error)
            if self._withhold is not None and event.error is None and await self._is_withheld(event):
                event.status, event.result = "withheld", None
            self._pending -= 1
            self._settled.append(event)
            self._tell()

    async def _is_withheld(self, event: CellSettled) -> bool:
        assert self._withhold is not None
        try:
            answer = self._withhold(event)
            return bool(await answer if isawaitable(answer) else answer)
        except Exception:
            return True


__all__ = ["CellQueue", "CellSettled"]
