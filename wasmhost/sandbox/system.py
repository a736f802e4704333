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

# Of the virtual clock. Python and QuickJS burn 2 to 37 units a nanosecond on the machines at hand.
FUEL_PER_NS = 2
# Some 250 years, so that no clock of a guest overflows.
_END_OF_TIME = 1 << 62
# Of what is drawn for other ends than cells and instances.
_ANOTHER = 1 << 62

# The monotonic clock of a session starts here and not at the host's value, which would tell the guest how long the
# machine is up.
_MONOTONIC_START_NS = 1_000_000_000


class Source:
    """Clock and random numbers of one instance, cell by cell.

    Every random byte that a cell sees comes from one seed of 32 bytes, drawn when the cell starts (row B20), and each
    reading of the clock is kept in ``readings``: with the two a cell can be run again exactly.
    """

    __slots__ = ("_counter", "_goes_live", "_replayed", "_then", "cell_seed", "readings", "replaying")

    # Whether sleeping takes no real time.
    virtual = False

    def __init__(self) -> None:
        self.cell_seed: bytes = b""
        self._counter = 0
        self.readings: list[int] = []
        self._replayed = 0
        # The last reading of the monotonic clock that was replayed.
        self._then = 0
        self.replaying: bool = False
        self._goes_live = False

    def begin_cell(self, number: int) -> bytes:
        """Draws the seed of the cell that starts now and returns it."""
        self._counter = 0
        self.readings = []
        self.cell_seed = self._draw(number)
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
                then = self.readings[self._replayed - 1]
                if which == MONOTONIC:
                    self._then = then
                return then
            # The end of what is known of a cell that goes on from here.
            self.stop_replaying()
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

    def burns(self, burnt: "Callable[[], int]", before: int = 0) -> None:
        """A cell starts or goes on, where fuel is time."""

    def burns_no_more(self, fuel: int) -> None:
        """It has come to its end, or is put aside."""

    def sleep(self, nanoseconds: int) -> None:
        """What the guest sleeps, where that takes no real time."""

    def stop_replaying(self) -> None:
        """What was replayed is part of a cell that goes on; its readings are kept, and the clock goes on from them."""
        self.replaying = self._goes_live = False
        self._catch_up(self._then)

    def _catch_up(self, then: int) -> None:
        """The monotonic clock is not behind this."""

    def another_seed(self) -> bytes:
        """32 bytes for a cell that goes on in a copy of its session."""
        raise NotImplementedError

    def _draw(self, cell: int) -> bytes:
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

    def another_seed(self) -> bytes:
        return urandom(32)

    def _draw(self, cell: int) -> bytes:
        return urandom(32)

    def _catch_up(self, then: int) -> None:
        self._monotonic_base = min(self._monotonic_base, monotonic_ns() - then)

    def _now(self, which: int) -> int:
        if which == REALTIME:
            return time_ns()
        return monotonic_ns() - self._monotonic_base


class VirtualSource(Source):
    """Seed and time that do not come from this machine: equal inputs give equal bytes and equal fuel.

    The clock moves by the fuel that cells burn and by what they sleep, which takes no real time.
    """

    __slots__ = ("_at", "_before", "_burnt", "_offset", "_seed")

    virtual = True

    def __init__(self, seed: bytes, start_ns: int, monotonic_ns_now: int = _MONOTONIC_START_NS) -> None:
        super().__init__()
        self._seed = seed
        self._offset = start_ns - _MONOTONIC_START_NS
        # The monotonic clock when the cell had burnt ``_before``.
        self._at = monotonic_ns_now
        self._before = 0
        self._burnt: Callable[[], int] | None = None

    def instance_seed(self) -> bytes:
        return expand(self.cell_seed, 0, 32)

    def another_seed(self) -> bytes:
        return expand(self.cell_seed, _ANOTHER, 32)

    def _draw(self, cell: int) -> bytes:
        return expand(self._seed, cell, 32)

    def burns(self, burnt: "Callable[[], int]", before: int = 0) -> None:
        """A cell starts or goes on; ``burnt`` tells its fuel, of which ``before`` lies behind."""
        self._burnt, self._before = burnt, before

    def burns_no_more(self, fuel: int) -> None:
        """It has come to its end, or is put aside, with so much fuel."""
        self._burnt = None
        self._at += (fuel - self._before) // FUEL_PER_NS

    def sleep(self, nanoseconds: int) -> None:
        """What the guest sleeps has passed."""
        self._at = min(self._at + nanoseconds, _END_OF_TIME)

    def _now(self, which: int) -> int:
        burnt = 0 if self._burnt is None else self._burnt() - self._before
        now = self._at + burnt // FUEL_PER_NS
        return now + self._offset if which == REALTIME else now


def expand(seed: bytes, counter: int, size: int) -> bytes:
    """``size`` bytes of SHAKE256(seed, counter): unpredictable without the seed, the same with it."""
    if TYPE_CHECKING:
        from hashlib import shake_256
    else:
        from _sha3 import shake_256  # the C module alone: hashlib would load OpenSSL

    digest: bytes = shake_256(seed + counter.to_bytes(8, "little")).digest(size)
    return digest
