"""A source whose clock is a function."""

from collections.abc import Callable

from wasmhost.sandbox.system import Source, expand


class FixedSource(Source):
    """Given seed and given clocks, for reproducible runs: equal inputs give equal bytes and equal fuel."""

    __slots__ = ("_clock", "_seed")

    def __init__(self, seed: bytes, clock: "Callable[[int], int]") -> None:
        super().__init__()
        self._seed = seed
        self._clock = clock

    def instance_seed(self) -> bytes:
        return expand(self.cell_seed, 0, 32)

    def another_seed(self) -> bytes:
        return expand(self.cell_seed, 1 << 62, 32)

    def _draw(self, cell: int) -> bytes:
        return expand(self._seed, cell, 32)

    def _now(self, which: int) -> int:
        return self._clock(which)
