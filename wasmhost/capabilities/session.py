"""What a session holds of capabilities from cell to cell."""

import json
from collections.abc import Callable, Iterable
from copy import copy
from difflib import get_close_matches
from functools import partial
from itertools import count
from typing import Any

from ..errors import CapabilityDefinitionError
from ..packs.pack import Pack
from ..protocol.encode import Unencodable, encode
from .approval import Approver
from .capability import Capability
from .effects import Room
from .hooks import Hooks, is_async
from .isolation import Isolation, Latch
from .names import attribute
from .plain_text import cut, first_sentence
from .policy import Allow, Deny, Memory, Policy, as_policy
from .record import CallEvent, CallRecord, NotKept
from .registered import PREFIX, RegisteredTools
from .schema import Mismatch
from .signatures import javascript_signature, python_signature

# Values of calls that records keep, in bytes of JSON for each cell; beyond it only their size is kept.
KEPT_BYTES = 16 << 20

# Of a description in the guest: what help() shows, and a line of a listing.
_DOC_CHARS, _LISTED_CHARS = 20_000, 200

OnEvent = Callable[[CallEvent], object]


class SessionCapabilities:
    """Capabilities, policy, hooks, latch and what a person has answered. ``reset`` leaves it as it is; only guest-
    registered tools go."""

    def __init__(
        self,
        capabilities: Iterable[Any],
        *,
        policy: Policy | str | None,
        hooks: Hooks | None,
        approve: Approver | None,
        approve_timeout: float | None,
        isolation: Isolation | None,
        on_event: OnEvent | None,
        label: str,
        parallel_calls: int,
        helpers: bool = False,
        hint: str = "",
    ) -> None:
        self.offered: dict[str, Capability] = {}
        attributes: dict[str, str] = {}
        self.packs: tuple[Pack, ...]
        self.packs, made_of_all = unpacked(capabilities)
        for made in made_of_all:
            written = attribute(made.name)
            if made.name.startswith(PREFIX):
                raise CapabilityDefinitionError(
                    f"{made.name!r}: names that start with {PREFIX} are those of guests' tools"
                )
            if written in attributes:
                other = attributes[written]
                raise CapabilityDefinitionError(
                    f"capability {made.name!r} is given twice"
                    if other == made.name
                    else f"capabilities {made.name!r} and {other!r} would both be tools.{written} in the guest"
                )
            attributes[written] = made.name
            self.offered[made.name] = made
        for written, name in attributes.items():
            for other in attributes:
                if other.startswith(f"{written}."):
                    raise CapabilityDefinitionError(
                        f"capability {name!r} cannot be a function and a namespace at once: see {attributes[other]!r}"
                    )
        self.policy: Policy = as_policy(policy)
        self.hooks: Hooks = hooks or Hooks()
        if approve is not None and not callable(approve):
            raise CapabilityDefinitionError(f"approve must be a function, not {approve!r}")
        if approve_timeout is not None and not 0 < approve_timeout <= 600:
            raise CapabilityDefinitionError(
                f"approve_timeout is a number of seconds in (0, 600], not {approve_timeout!r}"
            )
        self.approver: Approver | None = approve
        self.approve_timeout: float | None = approve_timeout
        self.latch: Latch = Latch(isolation or Isolation())
        self.memory: Memory = Memory()
        self.desk: Room = Room(1)
        self.room: Room = Room(parallel_calls)
        self.room.has_exclusive = any(one.exclusive for one in self.offered.values())
        self.label: str = label
        self.helpers: bool = helpers
        self.hint: str = hint
        # What a replay log keeps of each request.
        self.asked: Callable[[int, bytes], list[Any] | None] | None = None
        # Decisions about calls of a suspended cell, by id, each with the digest of the input that it is about.
        self.answers: dict[str, tuple[Allow | Deny, str]] = {}
        self.registered: RegisteredTools = RegisteredTools(self.offered)
        # True while a cell is being ended: what is given up then was not given up for its own time.
        self.ending: bool = False
        # Synchronous calls that were given up and have not returned; counted by ``workers``.
        self.abandoned: int = 0
        self.wall_ms: float = 0.0
        self._on_event = on_event
        self._kept = 0
        self._numbers = count(1)

    @property
    def needs_loop(self) -> bool:
        """Whether anything of it runs on an event loop."""
        return (
            any(one.is_async for one in self.offered.values())
            or (self.approver is not None and is_async(self.approver))
            or any(is_async(hook) for hook in (*self.hooks.pre, *self.hooks.post, *self.hooks.failure))
        )

    def manifest(self, language: str) -> bytes:
        """What a guest is told of its tools."""
        python = language == "python"
        signature = python_signature if python else javascript_signature
        tools = [
            {
                "name": one.name,
                "async": one.is_async,
                "signature": signature(one),
                # JavaScript has a listing of the tools, but no help() for one.
                "doc": cut(one.description, _DOC_CHARS) if python else first_sentence(one.description, _LISTED_CHARS),
            }
            for one in self.offered.values()
        ]
        made: dict[str, Any] = {"tools": tools, "bare": True}
        if self.helpers:
            made |= {"helpers": True, "hint": self.hint}
        return json.dumps(made, ensure_ascii=True).encode()

    def begin_cell(self, wall_ms: float) -> None:
        self._kept = 0
        self.ending = False
        self.wall_ms = wall_ms

    def find(self, name: str) -> Capability | None:
        return self.offered.get(name) or self.registered.find(name)

    def unknown(self, name: str) -> str:
        """What to say of a name that is not there."""
        names = [*self.offered, *self.registered.public_names()]
        near = get_close_matches(name[:200], names, 3)
        if near:
            return f"there is no tool {name[:200]!r}; did you mean {' or '.join(near)}?"
        shown = ", ".join(sorted(names)[:20]) + (", ..." if len(names) > 20 else "")
        return f"there is no tool {name[:200]!r}; there are: {shown or 'none'}"

    def new_record(self, name: str, cell: int) -> CallRecord:
        """A record with an id of its own, and the start event (step 1 of row B10)."""
        record = CallRecord(f"c{cell}.{next(self._numbers)}", name, cell)
        if self._on_event is not None:
            self.emit("start", record)
        return record

    def answer_for(self, call_id: str, digest: str) -> "Allow | Deny | None":
        """What was decided while the cell was suspended. An answer to another input than the call has now counts for
        nothing."""
        decision, about = self.answers.pop(call_id, (None, ""))
        return decision if about == digest else None

    def branch(self) -> "SessionCapabilities":
        """A copy for a branch of the session: the same capabilities, rules and answers, and a life of its own."""
        made = copy(self)
        made.latch, made.memory = self.latch.branch(), self.memory.branch()
        made.desk, made.room = Room(1), Room(self.room.places)
        made.room.has_exclusive = self.room.has_exclusive
        made.registered = RegisteredTools(self.offered)
        made.registered.tools = self.registered.tools
        made.answers = {}
        made._numbers = count(self.next_number())
        return made

    def next_number(self) -> int:
        """The number that the next call gets."""
        at = next(self._numbers)
        self._numbers = count(at)
        return at

    def go_on_from(self, number: int) -> None:
        """Calls are numbered from there on."""
        self._numbers = count(number)

    def marker(self, record: CallRecord) -> "Callable[..., None]":
        """:meth:`mark` for one record; without a listener that is the record's own."""
        return record.mark if self._on_event is None else partial(self.mark, record)

    def mark(self, record: CallRecord, step: str, outcome: str, kind: str = "step") -> None:
        record.mark(step, outcome)
        if self._on_event is not None:
            self.emit(kind, record, step, outcome)

    def listen(self, on_event: OnEvent) -> None:
        """Another listener in place of the one there is."""
        self._on_event = on_event

    def emit(self, kind: str, record: CallRecord, step: str = "", outcome: str = "") -> None:
        """Tells the listener, in whatever thread the call is. What it raises changes nothing but the record's notes."""
        assert self._on_event is not None
        try:
            self._on_event(CallEvent(kind, record, step, outcome))
        except BaseException as error:  # sys.exit() in a listener is its failure, and not the end of the sandbox
            record.notes.append(f"on_event failed with {type(error).__name__}")

    def may_keep(self, size: int) -> bool:
        """Whether a record may keep a value of that size."""
        self._kept += size
        return self._kept <= KEPT_BYTES

    def keep(self, value: Any, text: str, attachments: list[bytes]) -> Any:
        """What a record keeps of a value."""
        size = len(text)
        if attachments:
            size += sum(map(len, attachments))
        if self.may_keep(size):
            return value
        return NotKept(f"[{size} bytes are not kept: the records of one cell keep {KEPT_BYTES}]")

    def latch_asks(self, capability: Capability) -> str | None:
        return self.latch.asks(capability.isolation) if capability.isolation else None

    def watchdog_ms(self, capability: Capability) -> int | None:
        """Not installed where the wall clock comes first (row B13)."""
        watchdog = capability.watchdog_ms
        return watchdog if watchdog is not None and watchdog < self.wall_ms else None

    def handler_source(self, name: str, arguments: dict[str, Any]) -> str:
        """What a cell is started with that runs a registered tool's handler.

        Raises:
            LookupError: there is no such tool.
            ValueError: the arguments do not fit, or cannot be passed to a guest.
        """
        tool = self.registered.find(name) or self.registered.find(PREFIX + name)
        if tool is None:
            names = ", ".join(self.registered.public_names()) or "none"
            raise LookupError(f"there is no registered tool {name!r}; there are: {names}")
        try:
            text = encode(tool.parameters.bind([], arguments, name))
        except (Mismatch, Unencodable) as error:
            raise ValueError(f"the input of a registered tool is JSON: {error}") from None
        return f"[{encode(tool.definition['name'])},{text}]"

    def new_boundary(self) -> None:
        """Forgets the latch and what people have allowed."""
        self.latch.clear()
        self.memory.clear()


def unpacked(given: Iterable[Any]) -> tuple[tuple[Pack, ...], list[Capability]]:
    """The packs among what was given, and all capabilities, those of packs included, in their order."""
    packs: list[Pack] = []
    capabilities: list[Capability] = []
    for one in given:
        if isinstance(one, Pack):
            packs.append(one)
            capabilities.extend(one)
        else:
            capabilities.append(Capability.of(one))
    return tuple(packs), capabilities
