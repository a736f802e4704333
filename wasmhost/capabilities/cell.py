"""The calls of one cell: from the guest's request to the answer, and their end with the cell."""

from __future__ import annotations

from binascii import crc32
from collections import deque
from contextvars import Context
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..errors import CapabilityDefinitionError, ProtocolError, SessionBusy
from ..protocol.encode import encode, utf8
from ..protocol.frames import most_bytes
from ..protocol.packed import pack, read_request, unpack
from ..protocol.scan import TooDeep
from .approval import printable
from .effects import CANCELLED_, OK, RAISED, Follow, Handler, Outcome
from .pipeline import error_reply, pipeline
from .record import NEVER_STARTED, RUNNING, SUSPENDED, UNKNOWN, CallRecord, NotKept
from .run import CallRun, at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..limits import Limits
    from ..sandbox.instance import Instance
    from .approval import ApprovalRequest
    from .capability import Capability
    from .effects import Effect
    from .loops import Loop
    from .pipeline import Course, Reply
    from .session import SessionCapabilities

BLOCKING, START, CANCEL, TOOL, HANDLED, DROPPED = range(6)

# Between asking calls to end, with the cell, and giving them up.
GRACE_NS = 250_000_000
_MAX_DROPPED = 100
_LISTED = 20
# What a guest may make the host keep of one cell for its journal; a cell with more cannot be replayed, so a checkpoint
# is taken after it.
_LOG_ENTRIES = 4_096
_LOG_BYTES = 8 << 20
_NOT_KEPT = NotKept("[not kept: the records of one cell are full]")
_MAX_DEFINITION = 256 << 10


# The most values in a request: each is many times as large here as in the message.
_MAX_VALUES = 1_000_000
_BEHIND_HANDLERS = (
    "it waits for a handler of this guest to end, which waits for it; a handler calls no registered tool, and no tool "
    "that must be alone"
)
_HANDLER_RESTS = (
    "its handler never told its end: it waits for something that can never happen, or gave more than can be passed on"
)


class HandlerFailed(Exception):
    """A handler in the guest has thrown: type and message."""


class Suspending(Exception):
    """Leaves the guest in the middle of a blocking call: the cell is suspended."""


class Pending:
    """A call that the guest waits for, as it is kept while its cell is suspended or lives in a snapshot.

    ``guest_id``: None for one that blocks; ``request``: the message of the guest; ``reply``: of a call that is done;
    ``original``: the call of another session that this is a branch of; ``approval``: what was to be decided.
    """

    __slots__ = ("approval", "guest_id", "original", "record", "reply", "request")

    def __init__(
        self,
        guest_id: int | None,
        request: bytes,
        record: CallRecord,
        reply: Reply | None = None,
        original: CallRun | None = None,
        approval: ApprovalRequest | None = None,
    ) -> None:
        self.guest_id: int | None = guest_id
        self.request: bytes = request
        self.record: CallRecord = record
        self.reply: Reply | None = reply
        self.original: CallRun | None = original
        self.approval: ApprovalRequest | None = approval


def _followed(original: CallRun, record: CallRecord) -> Course:
    """The course of a call that another session makes."""
    how, _ = yield Follow(original)
    if how is OK and original.reply is not None:
        record.take(original.record)
        return original.reply
    record.state, record.error = UNKNOWN, ("CancelledError", "the branch no longer waits for it")
    return error_reply("CancelledError", "the call was given up", record.id)


def _finished(reply: Reply) -> Course:
    """The course of a call that is done."""
    yield from ()
    return reply


class CellCalls:
    """The host's side of every call of one cell. The guest's thread and those that finish calls use it at the same
    time; each list and dict below is changed by single operations, which Python makes atomic."""

    def __init__(
        self,
        session: SessionCapabilities,
        number: int,
        limits: Limits,
        instance: Instance,
        context: Context,
        loop: Callable[[], Loop],
    ) -> None:
        self.session: SessionCapabilities = session
        self.number: int = number
        self.instance: Instance = instance
        self.context: Context = context
        self.loop: Callable[[], Loop] = loop
        # Answers come in the order of the calls, whenever they are there.
        self.in_order: bool = instance.source.virtual
        # Nanoseconds of a timer for which the clock does not move while a call is in flight.
        self.held_timer: int | None = None
        self.records: list[CallRecord] = []
        # For a replay log, beside each entry of ``log``: what was asked.
        self.asked: list[list[Any] | None] = []
        self.log: list[tuple[int, int, bytes]] = []  # for the journal: kind, CRC of the request, reply
        self.max_request: int = most_bytes(limits.value_bytes)
        self._depth = limits.value_depth + 8
        self._left = limits.calls
        self._limit = limits.calls
        self._in_flight: dict[int, CallRun] = {}
        self._by_guest_id: dict[int, CallRun] = {}
        # Started calls whose answers the guest does not have yet.
        self._undelivered: dict[int, CallRun] = {}
        # What the cell was suspended with; None: it goes on.
        self.suspended: list[Pending] | None = None
        self.tools_then: dict[str, Capability] = {}
        self._comes_back: Pending | None = None
        self._settled: list[CallRun] = []
        self._handlers: dict[int, tuple[CallRun, Handler]] = {}
        self._to_run: deque[tuple[int, Handler]] = deque()
        self.replayable: bool = True
        self._log_left = _LOG_BYTES
        self._flight_bytes = 0
        self._serial = 0
        self._waits_for_calls = self._rests = False
        self.refused: int = 0
        self.before: dict[str, Capability] = session.registered.tools

    # ---- requests of the guest -------------------------------------------------------------------------------------

    def on_call(self, kind: int, data: bytes) -> bytes:
        """The reply to a request; runs in the guest's thread, in the host function.

        Raises:
            ProtocolError: not what a well-behaved guest sends; ends the instance.
        """
        reply = self._on_call(kind, data)
        log = self.log
        left = self._log_left = self._log_left - len(reply)
        if left >= 0 and len(log) < _LOG_ENTRIES:
            log.append((kind, crc32(data), reply))
            if self.session.asked is not None:
                self.asked.append(self.session.asked(kind, data))
        else:
            self.replayable = False
        return reply

    def _on_call(self, kind: int, data: bytes) -> bytes:
        if len(data) > _MAX_VALUES and data.count(b",") > _MAX_VALUES and _values(data) > _MAX_VALUES:
            if kind in (BLOCKING, START):
                self.refused += 1
                text = f"the arguments hold more than {_MAX_VALUES} values: pass text or bytes instead"
                return _answer(error_reply("ValueError", text, ""))
            if kind == HANDLED:
                return b""
            raise ProtocolError("request holds too many values")
        try:
            message = read_request(data, self._depth)
        except TooDeep:
            return self._too_deep(kind)
        if type(message) is not list:
            raise ProtocolError("request is not a list")
        if kind == START:
            if len(message) != 4:
                raise ProtocolError("start of a call is damaged")
            guest_id, name, args, kwargs = message
            if type(guest_id) is not int or guest_id in self._by_guest_id:
                raise ProtocolError("start of a call is damaged")
            return self._call(guest_id, name, args, kwargs, data)
        if kind == BLOCKING:
            if len(message) != 3:
                raise ProtocolError("call is damaged")
            name, args, kwargs = message
            return self._call(None, name, args, kwargs, data)
        if kind == CANCEL:
            if len(message) == 1 and type(message[0]) is int:
                self._undelivered.pop(message[0], None)
                run = self._by_guest_id.get(message[0])
                if run is not None:
                    run.cancel()
            return b""
        if kind == TOOL:
            if len(data) > _MAX_DEFINITION:
                text = f"the definition of a tool has at most {_MAX_DEFINITION} bytes"
                return _answer(error_reply("TypeError", text, ""))
            return self._tool(message)
        if kind == HANDLED:
            self._handled(message)
            return b""
        if kind == DROPPED:
            self._dropped(message)
            return b""
        raise ProtocolError(f"call of kind {kind}")

    def _too_deep(self, kind: int) -> bytes:
        """The reply to a request whose values any program can make, and nobody here would look into."""
        if kind == HANDLED:
            return b""
        what = "definition of a tool is" if kind == TOOL else "arguments are"
        if kind != TOOL:
            self.refused += 1
        return _answer(error_reply("ValueError", f"the {what} nested too deep", ""))

    def too_large(self, kind: int, size: int) -> bytes | None:
        """The reply to a request that is not even read."""
        if kind == HANDLED:  # the call has no answer then, and `break_deadlock` says so
            return b""
        if kind not in (BLOCKING, START):
            return None
        self.refused += 1
        return _answer(error_reply("ValueError", f"the arguments are too large: {size} bytes", ""))

    def _call(self, guest_id: int | None, name: Any, args: Any, kwargs: Any, data: bytes) -> bytes:
        if type(name) is not str or type(args) is not list or type(kwargs) is not dict:
            raise ProtocolError("call is damaged")
        session = self.session
        record = self._again(guest_id, data) if self._comes_back is not None else None
        if record is None:
            if self._left <= 0 or self._flight_bytes + len(data) > 2 * self.max_request:
                return self._refuse()
            self._left -= 1
            record = session.new_record(name[:300], self.number)
            self.records.append(record)
        capability = session.find(name)
        if capability is None:
            text = session.unknown(name)
            record.state, record.error = "failed", ("LookupError", text)
            session.mark(record, "schema", text, "error")
            return _answer(error_reply("LookupError", text, record.id))
        course = pipeline(session, capability, args, kwargs, record)
        reply, effect = at_once(self, course, record)
        keeps_input = session.may_keep(len(data))
        if effect is None:
            if not keeps_input:
                record.input = _NOT_KEPT
            return _answer(reply)
        run = CallRun(self, course, record, guest_id)
        run.keeps_input = keeps_input
        run.request = data
        return self._begun(run, effect)

    def _again(self, guest_id: int | None, data: bytes) -> CallRecord | None:
        """The record of the call in which the cell was left, if this is that call."""
        again, self._comes_back = self._comes_back, None
        if again is None or guest_id is not None or again.request != data:
            return None
        again.record.state = RUNNING
        return again.record

    def _refuse(self) -> bytes:
        self.refused += 1
        if self._left <= 0:
            return _answer(error_reply("RuntimeError", f"the limit of {self._limit} calls in one cell is spent", ""))
        text = f"the arguments of the calls in flight have more than {2 * self.max_request} bytes together"
        return _answer(error_reply("ValueError", text, ""))

    def _begun(self, run: CallRun, effect: Effect) -> bytes:
        """The reply to a call that did not end at once: empty for one that is awaited and goes on."""
        run.begin(effect)
        run.in_guest_thread = False
        if run.done and (run.guest_id is None or not self.in_order):
            self._let_go(run, 0)
            return _answer(run.reply)
        self._flies(run)
        if run.guest_id is not None:
            return b""
        self._wait_in_place(run)
        self._forget(run)
        self._let_go(run, run.request_bytes)
        return _answer(run.reply)

    def _flies(self, run: CallRun) -> None:
        """A call has not ended at once."""
        run.request_bytes = size = len(run.request)
        self._flight_bytes += size
        self._serial += 1
        self._in_flight[self._serial] = run
        if run.guest_id is not None:
            self._by_guest_id[run.guest_id] = self._undelivered[run.guest_id] = run
            if run.done and self._forget(run):  # it finished meanwhile, before it was in the table
                self._let_go(run, size)
                self._settled.append(run)

    def _let_go(self, run: CallRun, size: int) -> None:
        """A call is over: what it held is free."""
        self._flight_bytes -= size
        if not run.keeps_input:
            run.record.input = _NOT_KEPT

    def _wait_in_place(self, run: CallRun) -> None:
        """Holds the guest's thread until a call is done or the cell has to stop."""
        instance = self.instance
        charged = instance.meter.pause(perf_counter_ns())
        try:
            while not run.done:
                reason = instance.wait_for(
                    lambda: run.done or self._all_parked or self._stuck_behind_handlers(run), self.next_deadline()
                )
                if run.done:
                    return
                if reason is None and self._stuck_behind_handlers(run):
                    run.refuse(_BEHIND_HANDLERS)
                    continue
                if reason is None and self._all_parked:
                    self.suspend()
                    raise Suspending
                if reason is not None:
                    instance.ask_to_stop_now(reason)
                    self._end_one(run)
                    return
                self.expire(perf_counter_ns())
        finally:
            if charged:
                instance.meter.start(perf_counter_ns())

    def _stuck_behind_handlers(self, run: CallRun) -> bool:
        """Whether a call that holds the guest waits for a place that only handlers in that guest could make free."""
        runs = list(self._in_flight.values())
        return (
            run.waits_for_room
            and any(other.runs_handler for other in runs)
            and all(other.waits_for_room or other.runs_handler for other in runs)
        )

    def _end_one(self, run: CallRun) -> None:
        """Cancels a call that the guest waits for in place, and gives it up if it does not end within the grace."""
        self.session.ending = True
        run.cancel()
        until = perf_counter_ns() + GRACE_NS
        while not run.done and perf_counter_ns() < until:
            self.instance.wait_whatever_comes(lambda: run.done, until)
        if not run.done:
            run.give_up()

    # ---- tools of the guest ----------------------------------------------------------------------------------------

    def _tool(self, message: list[Any]) -> bytes:
        tools = self.session.registered
        if len(message) == 2 and message[0] == "register":
            try:
                return _answer((True, encode(tools.register(message[1])), []))
            except CapabilityDefinitionError as error:
                return _answer(error_reply("TypeError", str(error), ""))
        if len(message) == 2 and message[0] == "unregister":
            return _answer((True, encode(tools.unregister(message[1])), []))
        raise ProtocolError("message of a tool is damaged")

    def ask_guest(self, run: CallRun, effect: Handler) -> Outcome | None:
        """Has the guest run a handler; the outcome comes with the message that it has ended."""
        if run.guest_id is None:
            return RAISED, RuntimeError("a registered tool is awaited: its handler runs in the sandbox itself")
        if run.cancelling:
            return CANCELLED_, None
        self._handlers[run.guest_id] = (run, effect)
        self._to_run.append((run.guest_id, effect))
        self.instance.wake()
        return None

    def forget_handler(self, run: CallRun) -> None:
        """Nobody waits for the end of its handler any more."""
        if run.guest_id is not None:
            self._handlers.pop(run.guest_id, None)

    def _handled(self, message: list[Any]) -> None:
        if len(message) != 3 or type(message[0]) is not int:
            raise ProtocolError("end of a handler is damaged")
        number, ok, value = message
        run, effect = self._handlers.pop(number, (None, None))
        if run is None or effect is None:
            return
        if ok is True:
            run.complete(effect, (OK, value))
            return
        error = value if type(value) is dict else {}
        name, text = error.get("type"), error.get("message")
        name = name[:200] if type(name) is str else "Error"
        failed = HandlerFailed(f"{name}: {text[:10_000] if type(text) is str else ''}")
        run.complete(effect, (RAISED, failed))

    def _dropped(self, message: list[Any]) -> None:
        for name in message[:_MAX_DROPPED]:
            if type(name) is not str:
                raise ProtocolError("list of dropped calls is damaged")
            if self._left <= 0:
                return
            self._left -= 1
            record = self.session.new_record(name[:300], self.number)
            record.state = NEVER_STARTED
            self.session.mark(record, NEVER_STARTED, "made and never awaited", "error")
            self.records.append(record)

    # ---- the other side: calls that come to their end --------------------------------------------------------------

    def finished(self, run: CallRun) -> None:
        """A call is done; from whatever thread it came to its end in."""
        if run.in_guest_thread:
            return
        if run.guest_id is not None and self._forget(run):
            self._let_go(run, run.request_bytes)
            self._settled.append(run)
        self.instance.wake()

    def _forget(self, run: CallRun) -> bool:
        if run.guest_id is not None and self._by_guest_id.pop(run.guest_id, None) is None:
            return False
        for serial, other in list(self._in_flight.items()):
            if other is run:
                self._in_flight.pop(serial, None)
        return True

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    def has_news(self) -> bool:
        """Whether there is something to tell the guest, or nothing will come any more but an answer from elsewhere."""
        settled = self._first_in_order() if self.in_order else self._settled
        if settled or self._to_run or self.wants_suspension:
            return True
        return self.held_timer is not None and not self.busy

    def _first_in_order(self) -> CallRun | None:
        """The call whose answer is the next that the guest gets, if it is there."""
        for run in list(self._undelivered.values()):
            if run.done:
                return run
            if run.parked is None and not run.waits_for_guest:
                return None
        return None

    @property
    def busy(self) -> bool:
        """Whether a call is in flight that will come to its end without the guest."""
        return any(run.parked is None and not run.waits_for_guest for run in list(self._in_flight.values()))

    @property
    def wants_suspension(self) -> bool:
        """Whether only decisions can make the cell go on that nobody in this process will take."""
        settled = self._first_in_order() if self.in_order else self._settled
        return self._rests and not settled and not self._to_run and self._all_parked

    @property
    def _all_parked(self) -> bool:
        flying = list(self._in_flight.values())
        return bool(flying) and all(run.parked is not None and not run.cancelling for run in flying)

    # ---- suspending, and going on -----------------------------------------------------------------------------------

    def pending(self) -> list[Pending]:
        """The calls that the guest waits for, as they stand. Only while no export runs.

        Raises:
            SessionBusy: a registered tool's handler runs in the guest.
        """
        if self._handlers or self._to_run:
            raise SessionBusy("a registered tool of the guest runs; wait for its end")
        made = []
        for guest_id, run in list(self._undelivered.items()):
            reply = run.reply if run.done else None
            original = None if run.done else run
            made.append(Pending(guest_id, run.request, run.record.branch(), reply, original, run.parked))
        return made

    def suspend(self) -> None:
        """Leaves all calls as they are: they are made anew when the cell goes on."""
        self._waits_for_calls = self._rests = False
        made = []
        for run in list(self._in_flight.values()):
            run.record.state = SUSPENDED
            run.leave()
            made.append(Pending(run.guest_id, run.request, run.record, approval=run.parked))
        for guest_id, run in list(self._undelivered.items()):
            if run.done:
                made.append(Pending(guest_id, run.request, run.record, run.reply))
        self._in_flight.clear()
        self._by_guest_id.clear()
        self._undelivered.clear()
        self._settled.clear()
        self._flight_bytes = 0
        self.suspended = made
        self.tools_then = self.session.registered.tools

    def spent(self) -> tuple[int, int]:
        """How many calls the cell may still make, and how many were refused."""
        return self._left, self.refused

    def take_over(
        self,
        records: list[CallRecord],
        log: list[tuple[int, int, bytes]],
        spent: tuple[int, int],
        pending: list[Pending],
    ) -> None:
        """Goes on with the calls of a cell that began elsewhere or earlier."""
        self.records, self.log = records, log
        self._left, self.refused = min(spent[0], self._left), spent[1]
        for one in pending:
            if one.guest_id is None:
                self._comes_back = one
                continue
            course = self._course_again(one)
            run = CallRun(self, course, one.record, one.guest_id)
            run.request = one.request
            run.advance(None)
            run.in_guest_thread = False
            if run.done:
                self._undelivered[one.guest_id] = run
                self._settled.append(run)
            else:
                self._flies(run)

    def _course_again(self, one: Pending) -> Course:
        record = one.record
        if one.reply is not None:
            return _finished(one.reply)
        if one.original is not None:
            return _followed(one.original, record)
        try:
            message = read_request(one.request, self._depth)
        except ProtocolError:
            message = None
        if type(message) is not list or [type(part) for part in message] != [int, str, list, dict]:
            record.state, record.error = "failed", ("RuntimeError", "the request of this call is damaged")
            return _finished(error_reply(*record.error, record.id))
        _, name, args, kwargs = message
        capability = self.session.find(name)
        if capability is None:
            text = self.session.unknown(name)
            record.state, record.error = "failed", ("LookupError", text)
            return _finished(error_reply("LookupError", text, record.id))
        if record.executed and not (capability.read_only or capability.idempotent):
            text = (
                f"{capability.name} was in flight when the session was stored; its effect may have happened: look "
                "before you make it again"
            )
            record.state, record.error = UNKNOWN, ("CallError", text)
            return _finished(error_reply("CallError", text, record.id))
        record.state, record.executed = RUNNING, False
        return pipeline(self.session, capability, args, kwargs, record)

    def take_events(self) -> bytes:
        """What ``wh_resume`` is to bring: answers that have come, handlers to run. One answer with bytes at a time:
        their places in a packed frame are counted from its start."""
        self._waits_for_calls = self._rests = False
        parts = []
        attachments: list[bytes] = []
        run_now = []
        while self._to_run:  # others append meanwhile
            asked = self._to_run.popleft()
            if asked[0] in self._handlers:  # and not cancelled meanwhile
                run_now.append(asked)
        if run_now:
            runs = [
                f"[{number},{encode(effect.name)},{encode(effect.arguments, attachments)}]"
                for number, effect in run_now
            ]
            parts.append(f'"run":[{",".join(runs)}]')
        settled: list[str] = []
        if self.in_order:
            first = self._first_in_order()
            self._settled = [] if first is None else [first]
        while self._settled and not attachments:
            run = self._settled[0]
            assert run.reply is not None
            ok, text, carried = run.reply
            if carried and settled:
                break
            self._settled.pop(0)
            if run.guest_id is not None:
                self._undelivered.pop(run.guest_id, None)
            attachments = carried
            settled.append(f"[{run.guest_id},{'true' if ok else 'false'},{text}]")
        if settled:
            parts.append(f'"settle":[{",".join(settled)}]')
        return pack(utf8(f"{{{','.join(parts)}}}"), attachments)

    def guest_waits(self, for_calls_only: bool, but_for_background: bool = False) -> None:
        """The guest has come back and can go on only with news of a call, or with timers of earlier cells, which do
        not keep a cell from being suspended."""
        self._waits_for_calls = for_calls_only
        self._rests = for_calls_only or but_for_background
        self.break_deadlock()

    def break_deadlock(self) -> None:
        """For a guest that waits for calls only: if handlers in the guest are all that goes on, those that wait for
        them to end, most likely called by one of them, would wait for ever; and with nothing else in flight, so would
        the handlers. The last one is refused."""
        if not self._waits_for_calls or self.has_news():
            return
        runs = list(self._in_flight.values())
        waiting = [run for run in runs if run.waits_for_room]
        if len(waiting) == len(runs) or not all(run.waits_for_room or run.runs_handler for run in runs):
            return
        if waiting:
            waiting[-1].refuse(_BEHIND_HANDLERS)
        else:
            # The guest has come to rest, and nothing outside of it will ever move it on.
            runs[-1].refuse(_HANDLER_RESTS)

    def next_deadline(self) -> int | None:
        """Nanoseconds of the clock at which a call has to be given up."""
        deadlines = [at for run in list(self._in_flight.values()) if (at := run.deadline_ns) is not None]
        return min(deadlines) if deadlines else None

    def expire(self, now: int) -> None:
        """Gives up calls whose watchdog has come."""
        for run in list(self._in_flight.values()):
            at = run.deadline_ns
            if at is not None and now >= at:
                run.give_up()

    # ---- the end of the cell ---------------------------------------------------------------------------------------

    def begin_end(self) -> int:
        """Asks what is in flight to end (row B15); gives the time until which to wait for it."""
        self.session.ending = True
        runs = list(self._in_flight.values())
        # One that the guest has cancelled itself, such as by a time-out, was awaited.
        left = [run for run in runs if not run.cancelling]
        if left:
            self._report(left)
        for run in runs:
            run.cancel()
        return perf_counter_ns() + GRACE_NS

    def _report(self, runs: list[CallRun]) -> None:
        lines = [f"[not awaited: {run.record.name} (call {run.record.id})]" for run in runs[:_LISTED]]
        if len(runs) > _LISTED:
            lines.append(f"[not awaited: {len(runs) - _LISTED} more calls]")
        self.instance.output.write(2, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    def drop(self) -> None:
        """Ends everything without waiting, for a cell that is not seen to its end."""
        self.begin_end()
        self.end()

    def end(self) -> None:
        """Gives up what has not ended."""
        for run in list(self._in_flight.values()):
            run.give_up()
        self._in_flight.clear()

    def notes(self) -> list[str]:
        """What the result says about the calls of the cell, beside their records."""
        made = []
        dropped = [
            printable(record.name)
            for record in self.records
            if record.state == NEVER_STARTED and (record.error is None or record.error[0] == "CancelledError")
        ]
        if dropped:
            names = ", ".join(sorted(set(dropped))[:_LISTED])
            made.append(f"calls that were made and never started, since nothing awaited them in time: {names}")
        if self.refused:
            made.append(f"{self.refused} calls were refused without a record")
        return made


def _values(data: bytes) -> int:
    """About how many values a request holds, whatever its long texts hold."""
    head, _ = unpack(data)
    return head.count(b",")


def _answer(reply: Reply | None) -> bytes:
    assert reply is not None
    ok, text, attachments = reply
    head = utf8(f"[true,{text}]" if ok else f"[false,{text}]")
    return pack(head, attachments) if attachments else head
