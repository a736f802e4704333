"""Sessions whose cells see nothing of this machine (row D8; ``docs/deterministic.md``)."""

from datetime import UTC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from .sandbox.system import Source

_MAX_SEED_BYTES = 1 << 16
# 2000-01-01T00:00:00Z, in nanoseconds.
_START_NS = 946_684_800_000_000_000
# Years that every guest can show.
_MAX_START_NS = 4_000_000_000_000_000_000


class Deterministic:
    """Random numbers from a seed, and a clock that moves by the fuel that is burnt: equal cells give equal results and
    equal fuel, on every machine (``docs/deterministic.md``).

    Args:
        seed: where random numbers come from: bytes, a text or an integer. Everybody who knows it knows them.
        start: what the clock shows when a session starts, with a time zone; 2000-01-01 UTC by default.

    Raises:
        TypeError, ValueError: not such values; the text says what they should be.
    """

    __slots__ = ("seed", "start_ns")

    def __init__(self, seed: "bytes | str | int" = b"", *, start: "datetime | None" = None) -> None:
        if isinstance(seed, str):
            data = b"s" + seed.encode("utf-8", "surrogatepass")
        elif isinstance(seed, int) and not isinstance(seed, bool):
            data = b"i%x" % seed
        elif isinstance(seed, bytes):
            data = b"b" + seed
        else:
            raise TypeError(f"seed must be bytes, a str or an int, not {type(seed).__name__}")
        if len(data) > _MAX_SEED_BYTES:
            raise ValueError(f"seed must have less than {_MAX_SEED_BYTES} bytes")
        self.seed: bytes = data
        self.start_ns: int = _START_NS if start is None else _nanoseconds(start)

    def source(self, clock_ns: int | None) -> "Source":
        """The source of a new instance; ``clock_ns``: where the session's own clock stands, None: at its start."""
        from .sandbox.system import VirtualSource

        if clock_ns is None:
            return VirtualSource(self.seed, self.start_ns)
        return VirtualSource(self.seed, self.start_ns, clock_ns)

    def __repr__(self) -> str:
        # The seed is as good as the random numbers.
        return f"Deterministic(start_ns={self.start_ns})"


def _nanoseconds(start: "datetime") -> int:
    from datetime import datetime, timedelta

    if not isinstance(start, datetime):
        raise TypeError(f"start must be a datetime, not {type(start).__name__}")
    if start.tzinfo is None:
        raise ValueError("start must have a time zone: datetime(..., tzinfo=timezone.utc)")
    since = start - datetime(1970, 1, 1, tzinfo=UTC)
    made = since // timedelta(microseconds=1) * 1000
    if not 0 <= made <= _MAX_START_NS:
        raise ValueError("start must be between 1970 and 2096")
    return made
