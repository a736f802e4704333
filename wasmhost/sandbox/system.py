"""What a guest gets for the clock and for random numbers: one source for each instance, owned by the host."""

from os import urandom
from time import monotonic_ns, time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REALTIME, MONOTONIC = 0, 1

# The monotonic clock of a session starts here and not at the host's value, which would tell the guest how long the
# machine is up.
_MONOTONIC_START_NS = 1_000_000_000


class SystemSource:
    """Real time and random numbers from the operating system.

    Every random byte that a cell sees comes from one seed of 32 bytes, drawn when the cell starts (row B20): a log
    needs the seed only.
    """

    __slots__ = ("_counter", "_monotonic_base", "cell_seed")

    def __init__(self, monotonic_ns_so_far: int = _MONOTONIC_START_NS) -> None:
        self._monotonic_base = monotonic_ns() - monotonic_ns_so_far
        self.cell_seed = b""
        self._counter = 0

    def begin_cell(self) -> bytes:
        """Draws the seed of the cell that starts now and returns it."""
        self._counter = 0
        self.cell_seed = urandom(32)
        return self.cell_seed

    def clock(self, which: int) -> int:
        """Nanoseconds: since the Unix epoch for ``REALTIME``, else on a clock of the session that never goes back."""
        if which == REALTIME:
            return time_ns()
        return monotonic_ns() - self._monotonic_base

    def random(self, size: int) -> bytes:
        self._counter += 1
        return expand(self.cell_seed, self._counter, size)


class FixedSource:
    """Given seed and given clocks, for reproducible runs: equal inputs give equal bytes and equal fuel."""

    __slots__ = ("_cell", "_counter", "_now", "_seed", "cell_seed")

    def __init__(self, seed: bytes, now: "Callable[[int], int]") -> None:
        self._seed = seed
        self._now = now
        self._cell = 0
        self._counter = 0
        self.cell_seed = b""

    def begin_cell(self) -> bytes:
        self._cell += 1
        self._counter = 0
        self.cell_seed = expand(self._seed, self._cell, 32)
        return self.cell_seed

    def clock(self, which: int) -> int:
        return self._now(which)

    def random(self, size: int) -> bytes:
        self._counter += 1
        return expand(self.cell_seed, self._counter, size)


def expand(seed: bytes, counter: int, size: int) -> bytes:
    """``size`` bytes of SHAKE256(seed, counter): unpredictable without the seed, the same with it."""
    if TYPE_CHECKING:
        from hashlib import shake_256
    else:
        from _sha3 import shake_256  # the C module alone: hashlib would load OpenSSL

    digest: bytes = shake_256(seed + counter.to_bytes(8, "little")).digest(size)
    return digest


Source = SystemSource | FixedSource
