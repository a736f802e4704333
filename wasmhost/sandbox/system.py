"""What a guest gets for the clock and for random numbers: one source for each instance, owned by the host."""

from os import urandom
from time import monotonic_ns, time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REALTIME, MONOTONIC = 0, 1

# Readings of one cell that are kept: a loop around the clock must not fill the host's memory. Beyond it the cell cannot
# be run again exactly.
MAX_READINGS = 1 << 16

# The monotonic clock of a session starts here and not at the host's value, which would tell the guest how long the
# machine is up.
_MONOTONIC_START_NS = 1_000_000_000


class Source:
    """Clock and random numbers of one instance, cell by cell.

    Every random byte that a cell sees comes from one seed of 32 bytes, drawn when the cell starts (row B20), and each
    reading of the clock is kept in ``readings``: with the two a cell can be run again exactly.
    """

    __slots__ = ("_counter", "_goes_live", "_replayed", "cell_seed", "readings", "replaying")

    def __init__(self) -> None:
        self.cell_seed: bytes = b""
        self._counter = 0
        self.readings: list[int] = []
        self._replayed = 0
        self.replaying: bool = False
        self._goes_live = False

    def begin_cell(self) -> bytes:
        """Draws the seed of the cell that starts now and returns it."""
        self._counter = 0
        self.readings = []
        self.cell_seed = self._draw()
        return self.cell_seed

    def instance_seed(self) -> bytes:
        """32 bytes from which a new instance seeds its own random generators; not what ``random`` draws from, which a
        guest could find out from them."""
        raise NotImplementedError

    def clock(self, which: int) -> int:
        """Nanoseconds: since the Unix epoch for ``REALTIME``, else on a clock of the session that never goes back."""
        if self.replaying:
            self._replayed += 1
            if self._replayed <= len(self.readings) or not self._goes_live:
                return self.readings[self._replayed - 1]
            # The end of what is known of a cell that goes on from here.
            self.replaying = False
        now = self._now(which)
        if len(self.readings) <= MAX_READINGS:
            self.readings.append(now)
        return now

    def random(self, size: int) -> bytes:
        self._counter += 1
        return expand(self.cell_seed, self._counter, size)

    def monotonic(self) -> int:
        """Nanoseconds of the session's own clock; no reading of the guest's."""
        return self._now(MONOTONIC)

    def reseed(self, seed: bytes) -> None:
        """From here on the cell draws from another seed: it goes on in a copy of the session."""
        self.cell_seed = seed
        self._counter = 0

    @property
    def drawn(self) -> int:
        """How often the cell has drawn random numbers from its seed."""
        return self._counter

    def go_on(self, seed: bytes, drawn: int, readings: list[int]) -> None:
        """The rest of a cell that began in another instance."""
        self.cell_seed = seed
        self.readings = readings
        self._counter = drawn

    def replay_cell(self, seed: bytes, readings: list[int], goes_live: bool = False) -> None:
        """Until :meth:`end_replay`, a cell reads this clock and these random numbers again. ``goes_live``: after the
        last reading it reads the real ones."""
        self._goes_live = goes_live
        self.cell_seed = seed
        self.readings = readings
        self._counter = self._replayed = 0
        self.replaying = True

    @property
    def replayed_all(self) -> bool:
        """Whether the cell has read the clock as often as it did first."""
        return self._replayed == len(self.readings)

    def end_replay(self) -> None:
        self.replaying = self._goes_live = False
        self.readings = []

    def stop_replaying(self) -> None:
        """What was replayed is part of a cell that goes on; its readings are kept."""
        self.replaying = self._goes_live = False

    def _draw(self) -> bytes:
        raise NotImplementedError

    def _now(self, which: int) -> int:
        raise NotImplementedError


class SystemSource(Source):
    """Real time, and seeds from the operating system."""

    __slots__ = ("_monotonic_base",)

    def __init__(self, monotonic_ns_now: int = _MONOTONIC_START_NS) -> None:
        super().__init__()
        self._monotonic_base = monotonic_ns() - monotonic_ns_now

    def instance_seed(self) -> bytes:
        return urandom(32)

    def _draw(self) -> bytes:
        return urandom(32)

    def _now(self, which: int) -> int:
        if which == REALTIME:
            return time_ns()
        return monotonic_ns() - self._monotonic_base


class FixedSource(Source):
    """Given seed and given clocks, for reproducible runs: equal inputs give equal bytes and equal fuel."""

    __slots__ = ("_cells", "_clock", "_seed")

    def __init__(self, seed: bytes, clock: "Callable[[int], int]") -> None:
        super().__init__()
        self._seed = seed
        self._clock = clock
        self._cells = 0

    def instance_seed(self) -> bytes:
        return expand(self.cell_seed, 0, 32)

    def _draw(self) -> bytes:
        self._cells += 1
        return expand(self._seed, self._cells, 32)

    def _now(self, which: int) -> int:
        return self._clock(which)


def expand(seed: bytes, counter: int, size: int) -> bytes:
    """``size`` bytes of SHAKE256(seed, counter): unpredictable without the seed, the same with it."""
    if TYPE_CHECKING:
        from hashlib import shake_256
    else:
        from _sha3 import shake_256  # the C module alone: hashlib would load OpenSSL

    digest: bytes = shake_256(seed + counter.to_bytes(8, "little")).digest(size)
    return digest
