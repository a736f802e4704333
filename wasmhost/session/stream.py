"""Output of a cell as an async iterator, with back-pressure (``docs/decisions/0011-following-output.md``)."""

from _thread import allocate_lock
from codecs import getincrementaldecoder
from collections import deque

import anyio

from .async_driver import ThreadSignal, execute
from .output import STREAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from anyio.abc import TaskGroup

    from ..limits import Limits
    from ..results import RuntimeFailure, RuntimeSuccess
    from .session import Session

# Bytes that wait for a reader before the guest does.
BUFFER_BYTES = 64 << 10
# What a piece costs beside its text, so that many small ones from both streams in turn count as well.
_PIECE_BYTES = 200
# How often a guest that waits for its reader looks whether it has to end.
_LOOK_SECONDS = 0.05


class OutputStream:
    """A cell that runs while its output is read; made by :meth:`Session.stream`.

    Yields ``("stdout" or "stderr", text)`` in the order in which it was printed; what earlier cells have left prints as
    ``"background_stdout"`` and ``"background_stderr"``. A reader that is slow holds the guest
    up, so at most 64 KiB wait; that is not script time, but the wall clock goes on. Leaving the block before the end
    cancels the cell; the session goes on. Belongs to the event loop that entered the block.
    """

    def __init__(self, session: "Session", code: str, limits: "Limits") -> None:
        self._session = session
        self._code = code
        self._limits = limits
        self._pieces: deque[tuple[str, str, int]] = deque()
        self._waiting_bytes = 0
        self._room = allocate_lock()
        self._room.acquire()
        self._lock = allocate_lock()
        # Bytes that were printed while nobody read and the cell had to end: they are in the result only.
        self.left_out: int = 0
        self._gone = False
        self._done = False
        self._result: RuntimeSuccess | RuntimeFailure | None = None
        self._error: BaseException | None = None
        decoder = getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in STREAMS}
        self._signal: ThreadSignal | None = None
        self._group: TaskGroup | None = None

    @property
    def result(self) -> "RuntimeSuccess | RuntimeFailure":
        """The result of the cell.

        Raises:
            RuntimeError: there is none: the cell has not come to its end, or was cancelled since the block was left.
        """
        if self._result is None:
            raise RuntimeError(
                "the cell was cancelled: the block was left before its end"
                if self._gone
                else "the cell has not come to its end: read the stream to its end first"
            )
        return self._result

    async def __aenter__(self) -> "Self":
        self._signal = ThreadSignal()
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._run)
        return self

    async def __aexit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        assert self._group is not None
        self._gone = True
        self._wake_guest()
        if not self._done:
            self._group.cancel_scope.cancel()
        # Without the reader's own error, which would come out of the group as an ExceptionGroup.
        await self._group.__aexit__(None, None, None)

    def __aiter__(self) -> "Self":
        return self

    async def __anext__(self) -> tuple[str, str]:
        """The next piece.

        Raises:
            SessionBusy, SessionClosed, SessionLost: as :meth:`Session.execute` does.
        """
        if self._signal is None:
            raise RuntimeError("a stream is entered first: async with session.stream(code) as stream")
        while not self._pieces:
            if self._done:
                error, self._error = self._error, None
                if error is not None:
                    raise error
                raise StopAsyncIteration
            signal = self._signal
            await signal.wait()
            self._signal = ThreadSignal()
        with self._lock:
            name, text, cost = self._pieces.popleft()
            self._waiting_bytes -= cost
        self._wake_guest()
        return name, text

    async def _run(self) -> None:
        try:
            self._result = await execute(self._session, self._code, self._limits, self._take)
        except Exception as error:
            self._error = error
        finally:
            for name, decoder in self._decoders.items():
                rest = decoder.decode(b"", True)
                if rest:
                    self._pieces.append((name, rest, 0))
            self._done = True
            self._tell_reader()

    def _take(self, name: str, data: bytes) -> None:
        """Called in the guest's thread, which waits here while the buffer is full."""
        text = self._decoders[name].decode(data)
        if not text:
            return
        while self._waiting_bytes >= BUFFER_BYTES and not self._gone and not self._session._must_end():
            self._room.acquire(timeout=_LOOK_SECONDS)
        if self._gone or self._waiting_bytes >= BUFFER_BYTES:
            # Nobody reads, and the guest has been asked to stop. The result has it all the same.
            self.left_out += len(data)
            return
        with self._lock:
            # What has not been read yet becomes one piece: a reader that lags has fewer steps to take.
            cost = len(data)
            if self._pieces and self._pieces[-1][0] == name:
                _, before, its_cost = self._pieces.pop()
                text, cost = before + text, its_cost + cost
                self._waiting_bytes += len(data)
            else:
                cost += _PIECE_BYTES
                self._waiting_bytes += cost
            self._pieces.append((name, text, cost))
        self._tell_reader()

    def _wake_guest(self) -> None:
        try:
            self._room.release()
        except RuntimeError:  # released already
            pass

    def _tell_reader(self) -> None:
        signal = self._signal
        if signal is not None:
            signal.set()
