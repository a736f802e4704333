"""Snapshots, branches and suspended cells: what a session is, taken off it and put into another one."""

from _thread import allocate_lock
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, TypeVar

from .. import __version__
from ..capabilities.approval import ApprovalRequest
from ..capabilities.cell import Pending
from ..capabilities.policy import Allow, Deny
from ..capabilities.record import CallRecord
from ..errors import CapabilityDefinitionError, SessionBusy, SnapshotError
from ..limits import Limits
from ..protocol.frames import HEAD_BYTES, most_bytes
from ..sandbox.meter import UNLIMITED_FUEL
from ..sandbox.pages import Checkpoint
from ..state.snapshot import field, integer, pack_pages, read, unpack_pages, write
from .cell import CellRun, Effect, Rejoin, Resume
from .journal import Entry, Journal
from .output import CellOutput
from .session import Session
from .suspension import Suspended
from .turnstile import Turnstile

if TYPE_CHECKING:
    from ..capabilities.capability import Capability
    from ..sandbox.instance import Instance
    from .session import MakeCalls, OnOutput

S = TypeVar("S", bound=Session)

MAX_FORKS = 10_000
MIN_KEY_BYTES = 16
_MANY = 1 << 62
# Items of a list in a snapshot: calls, records, journal.
_MAX_ITEMS = 2_000_000


@contextmanager
def _held(session: Session) -> Iterator[CellRun | None]:
    """The session as it stands: between two cells, or with a cell that waits. Nothing enters the guest meanwhile."""
    session._check_usable()
    if not session._gate.acquire(False):
        raise SessionBusy(
            "code of this session runs just now, or waits in the middle of a blocking call; between cells, and while a "
            "cell awaits something, this works"
        )
    try:
        cell = session._running
        if cell is not None:
            if not cell.waits:
                raise SessionBusy("a cell of this session begins or ends just now; try again")
            yield cell
            return
        session._turn.take()
        try:
            yield None
        finally:
            session._turn.give()
    finally:
        session._gate.release()


# ---- suspended cells -----------------------------------------------------------------------------------------------


def suspended(session: Session, cell: CellRun, instance: "Instance") -> Suspended:
    """What is kept of a cell that has come to a point from which only answers from elsewhere lead on."""
    calls, entry = cell.calls, cell.entry
    assert calls is not None
    assert calls.suspended is not None
    assert entry is not None
    made = Suspended(
        cell.number,
        cell.limits,
        entry,
        cell.output,
        calls.records,
        calls.suspended,
        calls.spent(),
        calls.tools_then,
        calls.before,
    )
    made.replays = cell.state == "restored"
    made.reseed = cell.new_seed is not None
    if not made.replays:
        entry.clock = instance.source.readings
    _measure(made, cell, instance)
    return made


def _measure(made: Suspended, cell: CellRun, instance: "Instance") -> None:
    now = perf_counter_ns()
    made.fuel, made.script_ns = cell.meter.fuel_used, cell.meter.script_used(now)
    made.wall_ns = now - cell.meter.started
    made.seed, made.drawn = instance.source.cell_seed, instance.source.drawn


def _as_it_waits(session: Session, cell: CellRun, instance: "Instance") -> Suspended:
    """A copy of a cell that waits and goes on."""
    entry = cell.entry
    assert entry is not None
    calls = cell.calls
    pending = [] if calls is None else calls.pending()
    made = Suspended(
        cell.number,
        cell.limits,
        _copy_entry(entry),
        cell.output.branch(),
        [] if calls is None else list(calls.records),
        pending,
        (cell.limits.calls, 0) if calls is None else calls.spent(),
        {} if calls is None else calls.session.registered.tools,
        {} if calls is None else calls.before,
    )
    made.entry.clock = list(instance.source.readings)
    _measure(made, cell, instance)
    _separate(made)
    return made


def _branch_of(suspended: Suspended) -> Suspended:
    """A copy of a suspended cell."""
    made = Suspended(
        suspended.number,
        suspended.limits,
        _copy_entry(suspended.entry),
        suspended.output.branch(),
        list(suspended.records),
        list(suspended.pending),
        suspended.calls,
        suspended.registered,
        suspended.before,
    )
    for name in ("fuel", "script_ns", "wall_ns", "seed", "drawn", "checkpoint", "replays", "reseed", "foreign"):
        setattr(made, name, getattr(suspended, name))
    _separate(made)
    return made


def _separate(made: Suspended) -> None:
    """Gives a copy records of its own."""
    copies = {id(record): record.branch() for record in made.records}
    by_call = {record.id: copies[id(record)] for record in made.records}
    made.records = [copies[id(record)] for record in made.records]
    made.pending = [
        Pending(
            one.guest_id, one.request, by_call.get(one.record.id, one.record), one.reply, one.original, one.approval
        )
        for one in made.pending
    ]


def _copy_entry(entry: Entry) -> Entry:
    made = Entry(entry.head, entry.source, entry.seed, entry.memory_bytes)
    made.clock, made.events, made.calls = list(entry.clock), list(entry.events), list(entry.calls)
    made.reseeds, made.status, made.fuel = dict(entry.reseeds), entry.status, entry.fuel
    return made


def limits_of_suspended(session: Session, limits: Limits | None) -> Limits:
    """The limits under which a suspended cell goes on.

    Raises:
        LookupError: there is none.
    """
    session._check_usable()
    suspended = session._suspended
    if suspended is None:
        raise LookupError("no cell of this session is suspended: there is nothing to go on with")
    if limits is None:
        return suspended.limits
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
    merged = suspended.limits.narrowed(limits)
    session._check_memory(merged)
    return merged


def begin_again(
    session: Session,
    approvals: "Mapping[str, Allow | Deny] | None",
    limits: Limits,
    on_output: "OnOutput | None",
    make_calls: "MakeCalls | None",
) -> tuple[CellRun, Effect, "Instance"]:
    """The first effect of a cell that goes on; the turn is held."""
    limits_of_suspended(session, None)
    kept = session._suspended
    assert kept is not None
    answers = _answers(kept, approvals or {})
    now = perf_counter_ns()
    meter = session._new_meter(limits, now - kept.wall_ns)
    output = kept.output
    if kept.replays:
        # Run again from its start, it uses again what it has used, and prints what it has printed.
        output = CellOutput(limits.stdout_bytes, limits.stderr_bytes, limits.console_bytes)
    else:
        meter.carry(kept.fuel, kept.script_ns)
    entry = kept.entry
    instance = session._instance
    fresh = instance is None
    if instance is None:
        source = session._new_source()
        instance = session._instance = session._new_instance(source, kept.checkpoint)
        source.go_on(kept.seed, kept.drawn, entry.clock)
    session._suspended = None
    session._told_tools, session._seeded = not kept.foreign, True
    calls = make_calls(kept.number, instance) if make_calls is not None else None
    cell = session._running = CellRun(kept.number, limits, meter, output, calls)
    cell.entry = entry
    cell.went_on = True
    cell.rebuilds = fresh and kept.replays
    instance.begin_cell(meter, output)
    if session._deterministic is not None:
        instance.source.burns(instance.burnt, kept.fuel)
    instance.limit_memory(limits.memory_bytes)
    instance.frame_bytes = most_bytes(limits.value_bytes)
    if on_output is not None:
        output.follow(on_output, instance.interrupt, meter)
    if session._trace is not None:
        session._trace.cell_begin(cell, None)
    capabilities = session._capabilities
    if calls is not None and capabilities is not None:
        instance.calls = calls
        capabilities.begin_cell(limits.wall_ms)
        capabilities.answers.update(answers)
        capabilities.registered.tools, calls.before = kept.registered, kept.before
        calls.take_over(kept.records, entry.calls, kept.calls, kept.pending)
    cell.seeded = not kept.reseed
    if kept.replays:
        cell.new_seed = instance.source.another_seed() if kept.reseed else None
        return cell, Rejoin(), instance
    if not kept.reseed:
        return cell, Resume(b"{}"), instance
    seed = instance.source.another_seed()
    entry.reseeds[len(entry.events)] = seed
    instance.source.reseed(seed)
    return cell, Resume(f'{{"seed":"{instance.source.instance_seed().hex()}"}}'.encode()), instance


def _answers(kept: Suspended, given: "Mapping[str, Allow | Deny]") -> dict[str, tuple[Allow | Deny, str]]:
    """Decisions with the digests of what they are about.

    Raises:
        LookupError: a call that does not wait for one.
        TypeError: neither Allow nor Deny.
    """
    waiting = {one.record.id: one.approval for one in kept.pending if one.approval is not None}
    made: dict[str, tuple[Allow | Deny, str]] = {}
    for call, decision in given.items():
        request = waiting.get(call)
        if request is None:
            raise LookupError(f"no call {call!r} waits for an approval; those that do: {', '.join(waiting) or 'none'}")
        if not isinstance(decision, (Allow, Deny)):
            raise TypeError(f"the decision about call {call!r} must be Allow() or Deny(...), not {decision!r}")
        made[call] = decision, request.digest
    return made


# ---- branches ------------------------------------------------------------------------------------------------------


def fork(session: S, count: int, reseed: bool) -> list[S]:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_FORKS:
        raise ValueError(f"a session is forked 1 to {MAX_FORKS} times at once, not {count!r}")
    with _held(session) as cell:
        kept = _kept_cell(session, cell)
        clock = _clock(session)
        if kept is None:
            checkpoint, told, seeded = _between_cells(session)
            return [_branch(session, clock, checkpoint, told, seeded and not reseed) for _ in range(count)]
        if kept.checkpoint is None and not kept.replays:
            assert session._instance is not None
            kept.checkpoint = session._instance.checkpoint()
        branches = []
        for _ in range(count):
            made = _branch(session, clock, session._checkpoint, session._base_told, session._base_seeded)
            made._journal = session._journal.branch()
            made._suspended = _branch_of(kept)
            made._suspended.reseed = made._suspended.reseed or reseed
            made._copied = made._copied or reseed
            branches.append(made)
        return branches


def _branch(session: S, clock: int | None, checkpoint: Checkpoint | None, told: bool, seeded: bool) -> S:
    """A session like another one, with a state of its own."""
    made = object.__new__(type(session))
    made.__dict__.update(session.__dict__)
    made._turn = Turnstile()
    made._gate = allocate_lock()
    made._instance = made._running = made._suspended = None
    made._journal = Journal()
    made._checkpoint, made._clock_ns = checkpoint, clock
    made._base_told, made._base_seeded = told, seeded
    made._told_tools = made._seeded = False
    # Two sessions do not write into one log, nor one entry of a store.
    made._after_cell = None
    made._log = None
    if session._capabilities is not None:
        made._capabilities = session._capabilities.branch()
    if session._trace is not None:
        made._trace = session._trace.branch(made.limits, made._capabilities)
    return made


def _kept_cell(session: Session, cell: CellRun | None) -> Suspended | None:
    """A copy of the cell that does not go on just now, if there is one."""
    if session._suspended is not None:
        return _branch_of(session._suspended)
    if cell is None:
        return None
    assert session._instance is not None
    return _as_it_waits(session, cell, session._instance)


def _clock(session: Session) -> int | None:
    instance = session._instance
    return session._clock_ns if instance is None else instance.source.monotonic()


def _between_cells(session: Session) -> tuple[Checkpoint | None, bool, bool]:
    """The state as a checkpoint (None: that of the image), and whether the guest was told of its tools and seeded."""
    instance = session._instance
    if instance is not None and not session._journal.untouched:
        session._checkpoint = instance.checkpoint()
        session._journal.clear()
        session._base_told, session._base_seeded = session._told_tools, session._seeded
    return session._checkpoint, session._base_told, session._base_seeded


# ---- snapshots -----------------------------------------------------------------------------------------------------


def snapshot(session: Session, key: bytes | None) -> bytes:
    _check_key(key)
    with _held(session) as cell:
        return write(_state(session, cell), key)


def snapshot_in_turn(session: Session, key: bytes | None) -> bytes:
    """The same at the end of a cell, by whoever has the turn."""
    with session._gate:
        return write(_state(session, None), key)


def _check_key(key: bytes | None) -> None:
    if key is not None and (not isinstance(key, bytes) or len(key) < MIN_KEY_BYTES):
        raise ValueError(f"key must be bytes, {MIN_KEY_BYTES} or more, such as those of os.urandom(32)")


def _state(session: Session, cell: CellRun | None) -> dict[str, Any]:
    pristine = session._image.pristine()

    def pages_of(checkpoint: Checkpoint | None) -> dict[str, Any] | None:
        return None if checkpoint is None else pack_pages(checkpoint.pages, checkpoint.memory_bytes, pristine)

    capabilities = session._capabilities
    state: dict[str, Any] = {
        "wasmhost": __version__,
        "language": session.language,
        "image": session._image.sha256,
        "cells": session._cells,
        "calls": 1 if capabilities is None else capabilities.next_number(),
        "clock": _clock(session),
        "latch": [] if capabilities is None else list(capabilities.latch.used),
        "registered": session.registered_tools,
        "cell": None,
    }
    kept = _kept_cell(session, cell)
    if kept is None:
        checkpoint, _, state["seeded"] = _between_cells(session)
        state["pages"] = pages_of(checkpoint)
        return state
    now = kept.checkpoint
    if now is None and not kept.replays:
        assert session._instance is not None
        now = session._instance.checkpoint()
    state["pages"] = pages_of(session._checkpoint)
    state["seeded"] = session._base_seeded
    state["journal"] = [_entry_state(entry) for entry in session._journal.entries]
    state["exact"] = session._journal.exact
    state["cell"] = _cell_state(kept, pages_of(now))
    return state


def _definitions(tools: "dict[str, Capability]") -> list[dict[str, Any]]:
    return [tool.definition for tool in tools.values()]


def _entry_state(entry: Entry) -> list[Any]:
    return [
        entry.head,
        entry.source,
        entry.seed,
        entry.memory_bytes,
        entry.clock,
        entry.events,
        [list(call) for call in entry.calls],
        entry.status,
        entry.fuel,
        [list(one) for one in entry.reseeds.items()],
    ]


def _cell_state(kept: Suspended, pages: dict[str, Any] | None) -> dict[str, Any]:
    places = {id(record): place for place, record in enumerate(kept.records)}
    return {
        "number": kept.number,
        "fuel": kept.fuel,
        "script": kept.script_ns,
        "wall": kept.wall_ns,
        "seed": kept.seed,
        "drawn": kept.drawn,
        "replays": kept.replays,
        "pages": pages,
        "entry": _entry_state(kept.entry),
        "output": kept.output.save(),
        "left": kept.calls[0],
        "refused": kept.calls[1],
        "records": [record.save() for record in kept.records],
        "registered": _definitions(kept.registered),
        "before": _definitions(kept.before),
        "pending": [
            {
                "id": one.guest_id,
                "request": one.request,
                "record": places[id(one.record)],
                "reply": None if one.reply is None else list(one.reply),
                "approval": None if one.approval is None else _approval_state(one.approval),
            }
            for one in kept.pending
        ],
    }


def _approval_state(request: ApprovalRequest) -> dict[str, Any]:
    return {
        "name": request.name,
        "description": request.description,
        "input": _or_text(dict(request.input)),
        "reason": request.reason,
        "digest": request.digest,
    }


def _or_text(value: dict[str, Any]) -> dict[str, Any]:
    from ..protocol.encode import Unencodable, encode

    try:
        encode(value, [])
    except Unencodable:
        return {name: repr(item)[:1000] for name, item in value.items()}
    return value


# ---- back ----------------------------------------------------------------------------------------------------------


def restore(kind: type[S], data: bytes, key: bytes | None, reseed: bool, options: dict[str, Any]) -> S:
    _check_key(key)
    session = kind(**options)
    try:
        _put(session, *read(data, session.limits.memory_bytes, key), reseed)
        if session._log is not None:
            session._log.begins_anew("snapshot")
    except BaseException:
        session.close()
        raise
    if session._trace is not None:
        session._trace.emit("session.restore", bytes=len(data), signed=key is not None)
    return session


def _put(session: Session, state: dict[str, Any], signed: bool, reseed: bool) -> None:
    language, image = field(state, "language", str), field(state, "image", str)
    if language != session.language:
        raise SnapshotError(f"the snapshot is of a session of {language[:40]!r}, and this is one of {session.language}")
    if image != session._image.sha256:
        version = str(state.get("wasmhost"))[:40]
        raise SnapshotError(
            f"the snapshot was made with another image of the guest (wasmhost {version}, image {image[:16]}): it can "
            f"be restored with that version; here is wasmhost {__version__}, image {session._image.sha256[:16]}"
        )
    session._cells = integer(state, "cells", 1 << 31)
    session._clock_ns = None if state.get("clock") is None else integer(state, "clock", _MANY)
    session._checkpoint = _checkpoint(state.get("pages"), session)
    session._base_seeded = field(state, "seeded", bool) and not reseed
    capabilities = session._capabilities
    if capabilities is not None:
        capabilities.go_on_from(integer(state, "calls", _MANY))
        used = field(state, "latch", list)
        if signed:
            capabilities.latch.put([one for one in used if type(one) is str][:1000])
        else:
            capabilities.latch.trip()
    _register(session, field(state, "registered", list))
    if state.get("cell") is None:
        return
    cell = field(state, "cell", dict)
    session._base_seeded = field(state, "seeded", bool)
    session._journal.exact = field(state, "exact", bool)
    for entry in field(state, "journal", list)[:_MAX_ITEMS]:
        session._journal.add(_entry(entry))
    # Its cells told the guest of the tools of then; the next cell tells it of those of now.
    kept = session._suspended = _cell(cell, session)
    kept.reseed, kept.foreign = reseed, True
    session._copied = reseed


def _checkpoint(packed: Any, session: Session) -> Checkpoint | None:
    if packed is None:
        return None
    return Checkpoint(*unpack_pages(packed, session.limits.memory_bytes, session._image.memory_bytes))


def _register(session: Session, definitions: list[Any]) -> "dict[str, Capability]":
    """Takes on the tools that the guest has registered, as if it did so now."""
    capabilities = session._capabilities
    if capabilities is None:
        return {}
    registered = capabilities.registered
    registered.tools = {}
    for definition in definitions:
        try:
            registered.register(definition)
        except CapabilityDefinitionError as error:
            raise SnapshotError(f"a registered tool of the snapshot cannot be taken on: {error}") from None
    return registered.tools


def _entry(saved: Any) -> Entry:
    kinds = [bytes, bytes, bytes, int, list, list, list, int, int, list]
    if type(saved) is not list or [type(part) for part in saved] != kinds:
        raise SnapshotError("the snapshot is damaged: its journal does not fit")
    head, source, seed, memory_bytes, clock, events, calls, status, fuel, reseeds = saved
    well = (
        len(head) == HEAD_BYTES
        and len(seed) == 32
        and all(type(reading) is int and abs(reading) < _MANY for reading in clock)
        and all(type(event) is bytes for event in events)
        and all(type(call) is list and [type(part) for part in call] == [int, int, bytes] for call in calls)
        and all(type(one) is list and [type(part) for part in one] == [int, bytes] for one in reseeds)
    )
    if not well:
        raise SnapshotError("the snapshot is damaged: its journal does not fit")
    made = Entry(head, source, seed, memory_bytes)
    made.clock, made.events, made.status, made.fuel = clock, events, status, fuel
    made.calls = [(kind, digest, reply) for kind, digest, reply in calls]
    made.reseeds = dict(reseeds)
    return made


def _cell(saved: dict[str, Any], session: Session) -> Suspended:
    limits = session.limits
    now = _checkpoint(saved.get("pages"), session)
    output = CellOutput(limits.stdout_bytes, limits.stderr_bytes, limits.console_bytes)
    for stream, kept in enumerate(field(saved, "output", list)[:4], 1):
        if kept is None:
            continue
        if type(kept) is not list or [type(part) for part in kept] != [bytes, bytes, int]:
            raise SnapshotError("the snapshot is damaged: its output does not fit")
        output.load(stream, *kept)
    records = []
    for record in field(saved, "records", list)[:_MAX_ITEMS]:
        if type(record) is not dict:
            raise SnapshotError("the snapshot is damaged: its calls do not fit")
        records.append(CallRecord.load(record))
    before = _register(session, field(saved, "before", list))
    registered = _register(session, field(saved, "registered", list))
    made = Suspended(
        integer(saved, "number", 1 << 31),
        limits,
        _entry(saved.get("entry")),
        output,
        records,
        [_pending(one, records) for one in field(saved, "pending", list)[:_MAX_ITEMS]],
        (integer(saved, "left", 1 << 31), integer(saved, "refused", 1 << 31)),
        registered,
        before,
    )
    made.fuel, made.script_ns = integer(saved, "fuel", UNLIMITED_FUEL), integer(saved, "script", _MANY)
    made.wall_ns, made.drawn = integer(saved, "wall", _MANY), integer(saved, "drawn", _MANY)
    made.seed, made.replays = field(saved, "seed", bytes), field(saved, "replays", bool)
    made.checkpoint = now
    if len(made.seed) != 32 or (now is None) != made.replays:
        raise SnapshotError("the snapshot is damaged: its cell does not fit")
    return made


def _pending(saved: Any, records: list[CallRecord]) -> Pending:
    record = records[integer(saved, "record", len(records))]
    guest_id = saved.get("id")
    if guest_id is not None:
        integer(saved, "id", 1 << 53)
    reply = saved.get("reply")
    if reply is not None:
        if type(reply) is not list or [type(part) for part in reply] != [bool, str, list]:
            raise SnapshotError("the snapshot is damaged: an answer does not fit")
        if not all(type(part) is bytes for part in reply[2]):
            raise SnapshotError("the snapshot is damaged: an answer does not fit")
        reply = (reply[0], reply[1], reply[2])
    approval = saved.get("approval")
    request = None
    if approval is not None:
        request = ApprovalRequest(
            record.id,
            field(approval, "name", str),
            field(approval, "description", str),
            field(approval, "input", dict),
            field(approval, "reason", str),
            "",
        )
        request.bound_to = field(approval, "digest", str)
    return Pending(guest_id, field(saved, "request", bytes), record, reply, None, request)


__all__ = ["begin_again", "fork", "limits_of_suspended", "restore", "snapshot", "suspended"]
