"""The cells since the last checkpoint, with all that their course depended on: how a session goes back after a hard
stop.

A checkpoint copies every page that differs from the image, which costs more than a small cell. So, as in a
database, the state before a cell is the last checkpoint plus the replay of the cells since; a checkpoint is taken
when that replay would become slow or long. A replay gets the same seeds and the same clock readings, and counts as
exact only if each cell ends the same way with the same fuel.
"""

from binascii import crc32
from time import perf_counter_ns

from ..errors import ProtocolError
from ..protocol.frames import WAITING
from ..sandbox.instance import Broken, Instance
from ..sandbox.meter import UNLIMITED_FUEL, Meter
from ..sandbox.system import MAX_READINGS as MAX_CELL_READINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..sandbox.instance import Frame
    from ..sandbox.system import Source

# When to take a checkpoint instead: fuel (some tens of milliseconds), cells, bytes of source, clock readings and
# events.
MAX_FUEL = 100_000_000
MAX_CELLS = 64
MAX_BYTES = 4 << 20
MAX_READINGS = 4_096

# Events of one cell that are kept.
_MAX_EVENTS = 1 << 16

# A replay does not wait, so this bounds code that runs; it took less than the limits of its cell once.
_REPLAY_NS = 10_000_000_000


class Entry:
    """One cell: what was passed in, what it read, and how it ended."""

    __slots__ = ("calls", "clock", "events", "fuel", "head", "memory_bytes", "reseeds", "seed", "source", "status")

    def __init__(self, head: bytes, source: bytes, seed: bytes, memory_bytes: int) -> None:
        self.head: bytes = head
        self.source: bytes = source
        self.seed: bytes = seed
        self.memory_bytes: int = memory_bytes
        self.clock: list[int] = []
        self.events: list[bytes] = []
        self.calls: list[tuple[int, int, bytes]] = []
        # Where the cell went on in a copy, and the seed that it got there: number of the event, or ~number of the call
        # whose answer it went on with.
        self.reseeds: dict[int, bytes] = {}
        self.status: int = -1
        self.fuel: int = 0

    def woken(self, events: bytes) -> None:
        """The guest is entered again with these."""
        if len(self.events) <= _MAX_EVENTS:
            self.events.append(events)

    @property
    def whole(self) -> bool:
        """Whether all that its course depended on has been kept."""
        return len(self.events) <= _MAX_EVENTS and len(self.clock) <= MAX_CELL_READINGS


class Journal:
    """The entries since the last checkpoint. ``exact`` is lost by a cell whose course cannot be repeated: one that
    was stopped."""

    __slots__ = ("_bytes", "_entries", "_fuel", "_readings", "exact")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._entries: list[Entry] = []
        self._bytes = self._fuel = self._readings = 0
        self.exact: bool = True

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._bytes += len(entry.source)
        self._fuel += entry.fuel
        self._readings += len(entry.clock)
        if entry.events or entry.calls:
            self._bytes += sum(map(len, entry.events)) + sum([len(reply) for _, _, reply in entry.calls])
            self._readings += len(entry.events) + len(entry.calls)

    def branch(self) -> "Journal":
        """A copy that goes its own way; entries are not changed once they are in one."""
        made = Journal()
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made._entries = list(self._entries)
        return made

    @property
    def entries(self) -> list[Entry]:
        return self._entries

    @property
    def untouched(self) -> bool:
        """Whether no cell has run since the checkpoint."""
        return self.exact and not self._entries

    @property
    def due(self) -> bool:
        """Whether a checkpoint has to be taken before the next cell."""
        return (
            not self.exact
            or self._fuel > MAX_FUEL
            or len(self._entries) >= MAX_CELLS
            or self._bytes > MAX_BYTES
            or self._readings > MAX_READINGS
        )

    def replay(self, instance: Instance) -> bool:
        """Runs the cells again in an instance that is at the checkpoint; whether each went exactly as before."""
        try:
            return all(_again(instance, entry) for entry in self._entries)
        except Broken:
            return False


class _Nowhere:
    def write(self, stream: int, data: bytes) -> None:
        """Output of a replay was shown when it came first."""


class Answers:
    """The calls of a cell once more: the answers that they had, to the same requests. No call is made."""

    def __init__(self, log: "list[tuple[int, int, bytes]]", source: "Source", reseeds: dict[int, bytes]) -> None:
        self.max_request: int = 1 << 32
        self._log: list[tuple[int, int, bytes]] = log
        self._source: Source = source
        self._reseeds: dict[int, bytes] = reseeds
        self._at: int = 0
        self.same: bool = True

    def on_call(self, kind: int, data: bytes) -> bytes:
        if self._at < len(self._log):
            was, digest, reply = self._log[self._at]
            seed = self._reseeds.get(~self._at)
            if seed is not None:
                self._source.reseed(seed)
            self._at += 1
            if was == kind and digest == crc32(data):
                return reply
        self.same = False
        raise ProtocolError("not the call that was made")

    def too_large(self, kind: int, size: int) -> bytes | None:
        return None

    @property
    def in_flight(self) -> int:
        return 0

    def has_news(self) -> bool:
        return False

    def next_deadline(self) -> int | None:
        return None

    def expire(self, now: int) -> None:
        """Nothing is in flight."""

    @property
    def all_made(self) -> bool:
        return self.same and self._at == len(self._log)


def _again(instance: Instance, entry: Entry) -> bool:
    source = instance.source
    meter = Meter(perf_counter_ns(), _REPLAY_NS, _REPLAY_NS, UNLIMITED_FUEL)
    instance.begin_cell(meter, _Nowhere())
    instance.limit_memory(entry.memory_bytes)
    calls = instance.calls = Answers(entry.calls, source, entry.reseeds)
    source.replay_cell(entry.seed, entry.clock)
    try:
        frame: Frame = instance.start(entry.head, entry.source)
        for number, events in enumerate(entry.events):
            if frame.status != WAITING:
                return False
            if number in entry.reseeds:
                source.reseed(entry.reseeds[number])
            frame = instance.resume(events)
        same = frame.status == entry.status and meter.fuel_used == entry.fuel and source.replayed_all
        return same and calls.all_made
    finally:
        source.end_replay()
