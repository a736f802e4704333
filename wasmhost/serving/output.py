"""Output of a cell on its way to a client: put by the guest's thread, taken by the event loop, bounded in between."""

from collections.abc import Awaitable, Callable
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from ..protocol.json_text import clean

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

_SECONDS = 0.05
# What waits at most for a client that is slow; the rest is told as left out. The result has its own bounds.
_MOST_WAITING = 1 << 20

Tell = Callable[[str, str], Awaitable[None]]


class Following:
    """Has a client told of output in pieces, some twenty a second::

        async with Following(tell) as following:
            await session.execute(code, on_output=following.put)

    Args:
        tell: told the stream and text, in the event loop. What it raises is raised at the end of the block.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._lock = Lock()
        self._waiting: list[tuple[str, bytes]] = []
        self._size = 0
        self._left_out = 0
        self._rest: dict[str, bytes] = {}
        self._group: TaskGroup | None = None

    def put(self, stream: str, data: bytes) -> None:
        """From any thread; never waits."""
        with self._lock:
            if self._size + len(data) > _MOST_WAITING:
                self._left_out += len(data)
                return
            self._size += len(data)
            if self._waiting and self._waiting[-1][0] == stream:
                data = self._waiting.pop()[1] + data
            self._waiting.append((stream, data))

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._follow)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._group is not None
        self._group.cancel_scope.cancel()
        await self._group.__aexit__(None, None, None)
        with anyio.CancelScope(shield=True), anyio.move_on_after(1):
            await self._flush(last=True)

    async def _follow(self) -> None:
        while True:
            await anyio.sleep(_SECONDS)
            with anyio.CancelScope(shield=True):
                await self._flush()

    async def _flush(self, last: bool = False) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
            left_out, self._left_out, self._size = self._left_out, 0, 0
        for stream, data in waiting:
            text = self._decoded(stream, data, last)
            if text:
                await self._tell(stream, text)
        if left_out:
            await self._tell("notes", f"{left_out} bytes of output were left out here: they came too fast")

    def _decoded(self, stream: str, data: bytes, last: bool) -> str:
        """Text of whole characters; what is left of one waits for its other bytes."""
        data = self._rest.pop(stream, b"") + data
        if not last:
            for back in range(1, min(4, len(data) + 1)):
                lead = data[-back]
                if lead & 0xC0 != 0x80:
                    if lead >= 0xC0 and back < (2 if lead < 0xE0 else 3 if lead < 0xF0 else 4):
                        data, self._rest[stream] = data[:-back], data[-back:]
                    break
        return clean(data.decode("utf-8", "replace"))
