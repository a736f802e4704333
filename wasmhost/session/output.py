"""What a cell prints: the beginning and the end of each stream are kept, the rest is counted."""

from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..sandbox.meter import Meter


# As whoever follows a cell is told them.
STREAMS = ("stdout", "stderr", "background_stdout", "background_stderr")
_SILENT: "list[Stream | None]" = [None] * len(STREAMS)


class Stream:
    """Head and tail of one stream of bytes, in bounded memory whatever is written."""

    __slots__ = ("_head", "_head_bytes", "_tail", "_tail_bytes", "total")

    def __init__(self, kept_bytes: int) -> None:
        self._head_bytes = (kept_bytes + 1) // 2
        self._tail_bytes = kept_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total: int = 0

    def write(self, data: bytes) -> None:
        self.total += len(data)
        free = self._head_bytes - len(self._head)
        if free > 0:
            self._head += data[:free]
            data = data[free:]
        if data and self._tail_bytes:
            tail = self._tail
            tail += data[-self._tail_bytes :]
            # Let it grow to twice its size, so that small writes do not each move all of it.
            if len(tail) > 2 * self._tail_bytes:
                del tail[: len(tail) - self._tail_bytes]

    def count(self, size: int) -> None:
        """Bytes that were printed but not handed over: beyond the console limit."""
        self.total += size

    def save(self) -> "list[Any]":
        """What is kept, as plain values."""
        tail = bytes(self._tail[-self._tail_bytes :]) if self._tail_bytes else b""
        return [bytes(self._head), tail, self.total]

    def load(self, head: bytes, tail: bytes, total: int) -> None:
        """What an earlier part of the same cell has left."""
        self.write(head)
        self.write(tail)
        self.total = max(total, len(head) + len(tail))

    def text(self) -> tuple[str, int]:
        """The kept text, cut on character boundaries, with a line that says how many bytes were left out; and that
        number."""
        head, tail = bytes(self._head), bytes(self._tail[-self._tail_bytes :]) if self._tail_bytes else b""
        if self.total <= len(head) + len(tail):
            return (head + tail).decode("utf-8", "replace"), 0
        head = _whole_end(head)
        tail = _whole_start(tail)
        elided = self.total - len(head) - len(tail)
        return (
            f"{head.decode('utf-8', 'replace')}\n[... {elided} bytes left out ...]\n{tail.decode('utf-8', 'replace')}",
            elided,
        )


def _whole_end(data: bytes) -> bytes:
    """Without a character that was cut at the end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data if length <= back else data[:-back]
    return data


def _whole_start(data: bytes) -> bytes:
    """Without the rest of a character that was cut at the start."""
    start = 0
    while start < min(4, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


class CellOutput:
    """Both streams of one cell (1 and 2), and of what earlier cells have left (3 and 4); given to the instance as its
    output."""

    __slots__ = ("_kept_bytes", "_left", "_listener", "_meter", "_stop", "_streams", "listener_error")

    def __init__(self, stdout_bytes: int, stderr_bytes: int, console_bytes: int) -> None:
        self._kept_bytes = (stdout_bytes, stderr_bytes)
        self._left = console_bytes
        # Made at the first write: most cells print nothing, or to one stream only.
        self._streams: list[Stream | None] = _SILENT.copy()
        self._listener: Callable[[str, bytes], None] | None = None
        self.listener_error: BaseException | None = None

    def follow(self, listener: "Callable[[str, bytes], None]", stop: "Callable[[str], None]", meter: "Meter") -> None:
        """Has ``listener`` called with each piece. If it raises, the cell is stopped by ``stop`` and the error
        kept in ``listener_error``."""
        self._listener = listener
        self._stop = stop
        self._meter = meter

    def save(self) -> "list[Any]":
        """What is kept of each stream, as plain values."""
        return [None if kept is None else kept.save() for kept in self._streams]

    def branch(self) -> "CellOutput":
        """A copy that nobody follows."""
        made = CellOutput(*self._kept_bytes, self._left)
        for stream, kept in enumerate(self.save(), 1):
            if kept is not None:
                copy = made._streams[stream - 1] = made._new(stream)
                copy.load(*kept)
        return made

    def load(self, stream: int, head: bytes, tail: bytes, total: int) -> None:
        """What an earlier part of the same cell has printed, which nobody is told of again."""
        kept = self._streams[stream - 1] = self._new(stream)
        kept.load(head, tail, total)
        self._left = max(0, self._left - total)

    def _new(self, stream: int) -> Stream:
        return Stream(self._kept_bytes[(stream - 1) % 2])

    def text(self, stream: int) -> tuple[str, int]:
        """What is kept of a stream, and how many of its bytes were left out."""
        kept = self._streams[stream - 1]
        return kept.text() if kept is not None else ("", 0)

    def background(self) -> tuple[str, str]:
        """What is kept of the streams of what earlier cells have left."""
        return self.text(3)[0], self.text(4)[0]

    @property
    def silent(self) -> bool:
        """Whether nothing was printed."""
        return self._streams == _SILENT

    def write(self, stream: int, data: bytes) -> None:
        kept = self._streams[stream - 1]
        if kept is None:
            kept = self._streams[stream - 1] = self._new(stream)
        if len(data) > self._left:
            kept.count(len(data) - self._left)
            data = data[: self._left]
        self._left -= len(data)
        kept.write(data)
        if self._listener is not None and data:
            self._pass_on(STREAMS[stream - 1], data)

    def _pass_on(self, name: str, data: bytes) -> None:
        assert self._listener is not None
        # A slow listener holds the guest up, so nothing piles up; that time is not the guest's.
        charged = self._meter.pause(perf_counter_ns())
        try:
            self._listener(name, data)
        except BaseException as error:
            self._listener = None
            self.listener_error = error
            self._stop("cancelled")
        finally:
            if charged:
                self._meter.start(perf_counter_ns())
