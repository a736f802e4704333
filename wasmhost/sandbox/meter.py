"""What one cell has used, and which of its limits is spent. Knows no thread and no guest: the instance asks it at
each tick."""

SCRIPT, WALL, FUEL, MEMORY, STACK = "script", "wall", "fuel", "memory", "stack"

# Between asking a guest to stop and ending its instance (contract, Time).
GRACE_NS = 250_000_000

# Fuel that stands behind a limit by the clock: more than any guest burns in 600 s (37 G/s were seen), below what
# wasmtime can count.
UNLIMITED_FUEL = 1 << 60


class Meter:
    """Budgets of one cell in nanoseconds and fuel. Times are read by the caller from one monotonic clock.

    Script time is the time in which the guest runs or waits for its own timers; it is charged between ``start`` and
    ``stop``.
    """

    __slots__ = ("_script_used", "_since", "fuel", "fuel_used", "script_ns", "started", "wall_ns")

    def __init__(self, now: int, script_ns: int, wall_ns: int, fuel: int | None) -> None:
        self.started: int = now
        self.script_ns: int = script_ns
        self.wall_ns: int = wall_ns
        self.fuel: int = UNLIMITED_FUEL if fuel is None else fuel
        self.fuel_used: int = 0
        self._script_used = 0
        self._since = -1

    def carry(self, fuel: int, script_ns: int) -> None:
        """What the cell has used before it came here."""
        self.fuel_used = fuel
        self._script_used = script_ns

    def start(self, now: int) -> None:
        self._since = now

    def stop(self, now: int) -> None:
        self._script_used += now - self._since
        self._since = -1

    def pause(self, now: int) -> bool:
        """Time from here to :meth:`start` is not the guest's: the host does something for its own ends. False:
        nothing was charged just now, so there is nothing to start again."""
        since = self._since
        if since < 0:
            return False
        self._script_used += now - since
        self._since = -1
        return True

    def script_used(self, now: int) -> int:
        return self._script_used + (now - self._since if self._since >= 0 else 0)

    def spent(self, now: int) -> str | None:
        """The limit that is spent, or None. Fuel is not looked at here: the engine stops at its last unit by itself."""
        if now - self.started >= self.wall_ns:
            return WALL
        if self.script_used(now) >= self.script_ns:
            return SCRIPT
        return None

    def left(self, now: int) -> int:
        """Nanoseconds until the first of the limits by the clock is spent."""
        wall = self.wall_ns - (now - self.started)
        return max(0, min(wall, self.script_ns - self.script_used(now)) if self._since >= 0 else wall)
