"""A cell that has not come to its end and that nobody runs just now: it is suspended, or lives in a branch or a
snapshot. And the state before it, to which its session goes back if it ends badly."""

from ..capabilities.cell import BLOCKING
from ..protocol.packed import pack, unpack
from ..sandbox.instance import Instance
from .journal import Answers, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..capabilities.capability import Capability
    from ..capabilities.cell import CellCalls, Pending
    from ..capabilities.record import CallRecord
    from ..limits import Limits
    from ..sandbox.instance import Frame
    from ..sandbox.pages import Checkpoint
    from ..sandbox.system import Source
    from .cell import CellRun
    from .output import CellOutput


class Suspended:
    """What goes on with :meth:`Session.resume`.

    ``checkpoint``: the guest as it waits; None: the session's instance is that guest, or ``replays``: the guest was
    left in the middle of a blocking call, so the cell is run again from its start with the answers that it has had.
    ``reseed``: the guest gets new random numbers, since another copy of it may go on too.
    """

    __slots__ = (
        "before",
        "calls",
        "checkpoint",
        "drawn",
        "entry",
        "foreign",
        "fuel",
        "limits",
        "number",
        "output",
        "pending",
        "records",
        "registered",
        "replays",
        "reseed",
        "script_ns",
        "seed",
        "wall_ns",
    )

    def __init__(
        self,
        number: int,
        limits: "Limits",
        entry: Entry,
        output: "CellOutput",
        records: "list[CallRecord]",
        pending: "list[Pending]",
        calls: tuple[int, int],
        registered: "dict[str, Capability]",
        before: "dict[str, Capability]",
    ) -> None:
        self.number: int = number
        self.limits: Limits = limits
        self.entry: Entry = entry
        self.output: CellOutput = output
        self.records: list[CallRecord] = records
        self.pending: list[Pending] = pending
        # Calls that it may still make, and that were refused.
        self.calls: tuple[int, int] = calls
        # The guest's own tools, now and before the cell.
        self.registered: dict[str, Capability] = registered
        self.before: dict[str, Capability] = before
        self.fuel: int = 0
        self.script_ns: int = 0
        self.wall_ns: int = 0
        # Of the source of random numbers.
        self.seed: bytes = entry.seed
        self.drawn: int = 0
        self.checkpoint: Checkpoint | None = None
        self.replays: bool = False
        self.reseed: bool = False
        # Whether it comes from a snapshot: the guest knows the tools of another host.
        self.foreign: bool = False


class Rejoined(Answers):
    """The calls of a cell that is run again up to where it was left: the answers that it had, then real ones."""

    def __init__(self, live: "CellCalls", source: "Source", cell: "CellRun", entry: Entry) -> None:
        super().__init__(list(live.log), source, entry.reseeds)
        self._live = live
        self._cell: CellRun = cell
        self.max_request: int = live.max_request

    def on_call(self, kind: int, data: bytes) -> bytes:
        if self._at < len(self._log):
            return super().on_call(kind, data)
        reply = self._live.on_call(kind, data)
        seed = self._cell.new_seed
        return reply if seed is None or kind != BLOCKING else self._seeding(seed, reply)

    def _seeding(self, seed: bytes, reply: bytes) -> bytes:
        """The answer with which the guest gets the random numbers of its own."""
        self._cell.new_seed = None
        self._source.reseed(seed)
        head, attachments = unpack(reply)
        head = head[:-1] + f',"{self._source.instance_seed().hex()}"]'.encode()
        reply = pack(head, attachments) if attachments else head
        log = self._live.log
        if self._live.replayable:
            self._reseeds[~(len(log) - 1)] = seed
            log[-1] = (*log[-1][:2], reply)
        return reply

    def too_large(self, kind: int, size: int) -> bytes | None:
        return self._live.too_large(kind, size)

    @property
    def in_flight(self) -> int:
        return self._live.in_flight

    def has_news(self) -> bool:
        return self._live.has_news()

    def next_deadline(self) -> int | None:
        return self._live.next_deadline()

    def expire(self, now: int) -> None:
        self._live.expire(now)


def run_again(instance: Instance, cell: "CellRun", entry: Entry, live: "CellCalls") -> "Frame":
    """Brings a cell that was left in the middle of a blocking call back to that call, which then is made, and on to
    where it ends or waits.

    Raises:
        Broken: it went another way, or broke.
    """
    source = instance.source
    calls = instance.calls = Rejoined(live, source, cell, entry)
    source.replay_cell(entry.seed, entry.clock, goes_live=True)
    try:
        frame = instance.start(entry.head, entry.source)
        for number, events in enumerate(entry.events):
            if number in entry.reseeds:
                source.reseed(entry.reseeds[number])
            frame = instance.resume(events)
    finally:
        source.stop_replaying()
        if calls.all_made:
            instance.calls = live
    return frame


__all__ = ["Rejoined", "Suspended", "run_again"]
