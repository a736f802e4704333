"""What one cell has used, and which of its limits is spent. Knows no thread and no guest: the instance asks it at
each tick."""

SCRIPT, WALL, FUEL, MEMORY, STACK = "script", "wall", "fuel", "memory", "stack"

# Between asking a guest to stop and ending its instance (contract, Time).
GRACE_NS = 250_000_000

# How often the limits by the clock are looked at.
TICK_NS = 5_000_000

# Fuel that a guest is given at a time. The least keeps what it costs to ask for more small beside it, the most is a
# bound for how late a stop can come when a guest does what takes much time for its fuel after what took little.
_FIRST, _LEAST, _MOST = 1 << 20, 1 << 17, 1 << 24

# Fuel that stands behind a limit by the clock: more than any guest burns in 600 s.
UNLIMITED_FUEL = 1 << 60


class Meter:
    """Budgets of one cell in nanoseconds and fuel. Times are read by the caller from one monotonic clock.

    Script time is the time in which the guest runs or waits for its own timers; it is charged between ``start`` and
    ``stop``.
    """

    __slots__ = ("_cpu", "_script_used", "_since", "_slice", "fuel", "fuel_used", "script_ns", "started", "wall_ns")

    def __init__(self, now: int, script_ns: int, wall_ns: int, fuel: int | None) -> None:
        self.started: int = now
        self.script_ns: int = script_ns
        self.wall_ns: int = wall_ns
        self.fuel: int = UNLIMITED_FUEL if fuel is None else fuel
        self.fuel_used: int = 0
        self._script_used = 0
        self._since = -1
        self._slice = _FIRST
        # CPU time of the thread when the guest got its slice; 0: not known.
        self._cpu = 0

    def carry(self, fuel: int, script_ns: int) -> None:
        """What the cell has used before it came here."""
        self.fuel_used = fuel
        self._script_used = script_ns

    def first(self) -> int:
        """The fuel to give to a guest that is about to run."""
        self._cpu = 0
        return min(self._slice, self.fuel - self.fuel_used)

    def next(self, used: int, now: int, cpu: int) -> int:
        """The fuel to give to a guest that has just used ``used``: about what it needs until the next tick, or until
        a limit by the clock is spent. ``cpu``: CPU time of the thread in nanoseconds, since one that waits for other
        threads is not slow."""
        if self._cpu:
            self._slice = max(_LEAST, min(used * TICK_NS // max(1, cpu - self._cpu), 2 * self._slice, _MOST))
        self._cpu = cpu
        left = self.left(now)
        size = self._slice if left >= TICK_NS else max(_LEAST, self._slice * left // TICK_NS)
        return min(size, self.fuel - self.fuel_used)

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
        """The limit by the clock that is spent, or None."""
        if now - self.started >= self.wall_ns:
            return WALL
        if self.script_used(now) >= self.script_ns:
            return SCRIPT
        return None

    def left(self, now: int) -> int:
        """Nanoseconds until the first of the limits by the clock is spent."""
        wall = self.wall_ns - (now - self.started)
        return max(0, min(wall, self.script_ns - self.script_used(now)) if self._since >= 0 else wall)
