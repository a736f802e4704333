"""A host: many sessions by key, in memory while they are used and in a store else (row B3; ``docs/host.md``)."""

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from threading import Condition, RLock, Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from .errors import AlreadyResumed, HostFull, SessionBusy, SessionClosed, SnapshotError, StoreError
from .limits import Limits
from .runtimes import RUNTIMES
from .session.session import Session
from .stores import MemoryStore, Store

if TYPE_CHECKING:
    from .capabilities.approval import ApprovalRequest
    from .capabilities.policy import Allow, Deny
    from .results import RuntimeFailure, RuntimeSuccess
    from .session.look import Completion, Variable
    from .session.queue import CellQueue, Withhold

    Result = RuntimeSuccess | RuntimeFailure
    OnOutput = Callable[[str, bytes], None]

# Row B1: the default of a host. A bare runtime has 1,000.
SCRIPT_MS = 30_000
IDLE_SECONDS = 900
MAX_KEY = 1_000

_MAGIC = b"WHE1"
_SIZE = struct.Struct("<I")
_MAX_HEAD = 1 << 16

State = Literal["idle", "running", "suspended", "stored", "closed"]


class SessionInfo:
    """What a host tells of one of its sessions: ``key``, ``language``, ``boundary``, ``state`` (``idle``, ``running``,
    ``suspended``, ``stored``), ``memory_bytes`` (0 unless it is in memory), ``idle_seconds``."""

    __slots__ = ("boundary", "idle_seconds", "key", "language", "memory_bytes", "state")

    def __init__(
        self, key: str, language: str, boundary: str, state: State, memory_bytes: int, idle_seconds: float
    ) -> None:
        self.key: str = key
        self.language: str = language
        self.boundary: str = boundary
        self.state: State = state
        self.memory_bytes: int = memory_bytes
        self.idle_seconds: float = idle_seconds

    def __repr__(self) -> str:
        return f"SessionInfo({self.key!r}, {self.language!r}, {self.boundary!r}, {self.state!r})"


def entry_name(key: str, language: str) -> str:
    """The name of a session's entry in a store: a hash, so that a key may be any text."""
    return sha256(f"{language}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()


class _Entry:
    """An entry of the store: the session's snapshot, and what the host has to know before it restores it."""

    __slots__ = ("boundary", "claimed", "key", "language", "snapshot")

    def __init__(self, key: str, language: str, boundary: str, snapshot: bytes, claimed: bool = False) -> None:
        self.key: str = key
        self.language: str = language
        self.boundary: str = boundary
        self.snapshot: bytes = snapshot
        # Whether a suspended cell in it was gone on with.
        self.claimed: bool = claimed

    def write(self) -> bytes:
        head = json.dumps([self.key, self.language, self.boundary, self.claimed]).encode()
        return _MAGIC + _SIZE.pack(len(head)) + head + self.snapshot

    @classmethod
    def read(cls, data: bytes) -> "_Entry":
        try:
            (size,) = _SIZE.unpack_from(data, 4)
            if data[:4] != _MAGIC or size > _MAX_HEAD:
                raise ValueError("no entry")
            key, language, boundary, claimed = json.loads(data[8 : 8 + size])
            if [type(one) for one in (key, language, boundary, claimed)] != [str, str, str, bool]:
                raise ValueError("no head of an entry")
        except (ValueError, TypeError, struct.error, RecursionError):
            raise StoreError("the entry of a session is damaged, or not one: delete it, or use mode='fresh'") from None
        return cls(key, language, boundary, data[8 + size :], claimed)


class Host:
    """Sessions by context key (``main``, the id of an agent) and language. Thread-safe.

    Each has the state of a session and is used like one. It is in memory while it is used; when nobody has used it for
    ``idle_seconds``, or its place is needed, it goes to the store and comes back at its next use. After every cell its
    state is in the store before the result is given, so a process that is killed loses at most the cell in progress.

    Args:
        store: a :class:`~wasmhost.FileStore` or :class:`~wasmhost.SqliteStore`; None: the memory of this process.
            The host closes it.
        language: of sessions that name none.
        limits: of every session; the script time is 30,000 ms where they do not say otherwise.
        key: of 16 bytes or more, with which entries are signed. Only signed ones keep what the isolation latch knows.
        idle_seconds: after which an unused session leaves the memory.
        max_sessions: in memory at a time.
        max_memory_bytes: that sessions in memory may have grown to, all together; None: no such limit.
        helpers: whether sessions have short forms (``docs/packs.md``).
        options: of every session, as for a runtime: capabilities, policy, hooks, approve, ...

    Raises:
        ValueError: a number that is not above 0, no such language, a key that is too short.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        language: str = "python",
        limits: Limits | None = None,
        key: bytes | None = None,
        idle_seconds: float = IDLE_SECONDS,
        max_sessions: int = 64,
        max_memory_bytes: int | None = None,
        helpers: bool = True,
        **options: Any,
    ) -> None:
        for name, number in {"idle_seconds": idle_seconds, "max_sessions": max_sessions}.items():
            if not number > 0:
                raise ValueError(f"{name} is a number above 0, not {number!r}")
        if max_memory_bytes is not None and not max_memory_bytes > 0:
            raise ValueError(f"max_memory_bytes is a number above 0 or None, not {max_memory_bytes!r}")
        if key is not None and (not isinstance(key, bytes) or len(key) < 16):
            raise ValueError("key must be bytes, 16 or more, such as those of os.urandom(32)")
        self.language: str = _checked_language(language)
        self.limits: Limits = Limits(**{"script_ms": SCRIPT_MS, **({} if limits is None else limits._given)})
        self.idle_seconds: float = idle_seconds
        self.max_sessions: int = max_sessions
        self.max_memory_bytes: int | None = max_memory_bytes
        self._store: Store = store if store is not None else MemoryStore()
        self._key = key
        self._options: dict[str, Any] = {"helpers": helpers, **options}
        self._lock = RLock()
        self._sessions: dict[tuple[str, str], HostSession] = {}
        self._closed = False
        self._sweeper: Thread | None = None
        self._wake = Condition()

    # ---- sessions ----

    def session(
        self,
        key: str = "main",
        *,
        boundary: str = "",
        language: str | None = None,
        mode: Literal["resume", "fresh"] = "resume",
        **options: Any,
    ) -> "HostSession":
        """The session of a key. With the boundary that it has it is the same one, from memory or the store; with
        another one the old one is released and a fresh one begins.

        Args:
            key: at most 1,000 characters.
            boundary: id of the conversation that it belongs to.
            language: by default that of the host. Each language of a key is a session of its own.
            mode: ``"fresh"``: a new one, whatever there is.
            options: of a new session, beside those of the host; they win. A session that comes back from the store
                has those that it is asked for with.

        Raises:
            HostFull: there is no room, and every session is in use.
            StoreError, SnapshotError: what is in the store cannot be used; ``mode="fresh"`` replaces it.
            AlreadyResumed: see :meth:`load`.
            SessionClosed: the host is closed.
        """
        language = _checked_language(language or self.language)
        _check_text("key", key)
        _check_text("boundary", boundary)
        if mode not in ("resume", "fresh"):
            raise ValueError(f"mode is resume or fresh, not {mode!r}")
        with self._lock:
            self._check_open()
            found = self._sessions.get((key, language))
            if found is not None and found.boundary == boundary and mode == "resume" and not found.closed:
                return found
            entry = None if found is not None else self._entry(key, language, mode)
            if found is not None:
                found._release()
            if entry is not None and entry.boundary == boundary and mode == "resume":
                return self._comes_back(entry, options, again=False)
            self._store.delete(entry_name(key, language))
            return self._made(key, language, boundary, options)

    def load(
        self, key: str = "main", *, language: str | None = None, again: bool = False, **options: Any
    ) -> "HostSession":
        """The session of a key as it is, whatever its boundary: in memory or in the store.

        Args:
            again: whether a suspended cell that somebody has gone on with, and that has not come to its end, may be
                gone on with once more: calls that it had made then are made again.

        Raises:
            LookupError: there is none.
            AlreadyResumed: there is such a cell, and ``again`` does not allow it.
            HostFull, StoreError, SnapshotError, SessionClosed: as for :meth:`session`.
        """
        language = _checked_language(language or self.language)
        _check_text("key", key)
        with self._lock:
            self._check_open()
            found = self._sessions.get((key, language))
            if found is not None and not found.closed:
                return found
            entry = self._entry(key, language, "resume")
            if entry is None:
                raise LookupError(f"there is no session of {language} with the key {key[:80]!r}")
            return self._comes_back(entry, options, again)

    def restore(
        self,
        data: bytes,
        key: str = "main",
        *,
        boundary: str = "",
        language: str | None = None,
        **options: Any,
    ) -> "HostSession":
        """A session from a snapshot, which any process has made; what the key had before is released.

        Raises:
            SnapshotError: not one that can be restored here.
            HostFull, StoreError, SessionClosed: as for :meth:`session`.
        """
        language = _checked_language(language or self.language)
        _check_text("key", key)
        _check_text("boundary", boundary)
        with self._lock:
            self._check_open()
            # Before the old one goes.
            live = self._restored(data, language, options)
            found = self._sessions.get((key, language))
            if found is not None:
                found._release()
            made = self._made(key, language, boundary, options, live)
            made._keep()
            return made

    def sessions(self) -> list[SessionInfo]:
        """What there is, in memory and in the store. Entries that cannot be read are left out."""
        with self._lock:
            self._check_open()
            told = [one.info() for one in self._sessions.values()]
            here = {entry_name(one.key, one.language) for one in told}
            for name in self._store.names():
                if name in here:
                    continue
                try:
                    data = self._store.load(name)
                    entry = None if data is None else _Entry.read(data)
                except StoreError:
                    continue
                if entry is not None:
                    told.append(SessionInfo(entry.key, entry.language, entry.boundary, "stored", 0, 0.0))
            return told

    def delete(self, key: str = "main", *, language: str | None = None) -> bool:
        """Ends a session and removes it from the store; whether there was one. A cell that runs is cancelled.

        Raises:
            StoreError, SessionClosed: as for :meth:`session`.
        """
        language = _checked_language(language or self.language)
        name = entry_name(key, language)
        with self._lock:
            self._check_open()
            found = self._sessions.get((key, language))
            there = found is not None or name in self._store.names()
            if found is not None:
                found._release()
            self._store.delete(name)
            return there

    @property
    def memory_bytes(self) -> int:
        """What the memories of the sessions in memory have grown to, together. What they share with the image counts
        each time, so this is more than the process uses."""
        with self._lock:
            return sum(one.memory_bytes for one in self._sessions.values())

    def evict_idle(self, seconds: float | None = None) -> int:
        """Takes sessions that nobody has used for that long out of the memory; how many. The host does that by itself.

        Args:
            seconds: by default ``idle_seconds``; 0: all that are not in use.
        """
        limit = self.idle_seconds if seconds is None else seconds
        with self._lock:
            return sum(one._evict() for one in list(self._sessions.values()) if one.idle_seconds >= limit)

    def close(self) -> None:
        """Closes all sessions, which stay in the store, and the store. A cell that runs is cancelled, and its session
        stays as it was before it. Closing twice is harmless."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for session in list(self._sessions.values()):
                session._drop_live()
            self._sessions.clear()
            self._store.close()
        with self._wake:
            self._wake.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # ---- what sessions use ----

    def _check_open(self) -> None:
        if self._closed:
            raise SessionClosed("this host is closed")

    def _entry(self, key: str, language: str, mode: str) -> _Entry | None:
        if mode == "fresh":
            return None
        data = self._store.load(entry_name(key, language))
        if data is None:
            return None
        entry = _Entry.read(data)
        if (entry.key, entry.language) != (key, language):
            raise StoreError("the entry of a session is that of another one: delete it, or use mode='fresh'")
        return entry

    def _comes_back(self, entry: _Entry, options: Mapping[str, Any], again: bool) -> "HostSession":
        if entry.claimed and not again:
            raise AlreadyResumed(
                f"a suspended cell of {entry.key[:80]!r} was gone on with and did not come to its end: calls of it may "
                "have been made. load(..., again=True) makes them again; mode='fresh' gives the session up"
            )
        live = self._restored(entry.snapshot, entry.language, options)
        return self._made(entry.key, entry.language, entry.boundary, options, live)

    def _with(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"limits": self.limits, **self._options, **options}

    def _restored(self, snapshot: bytes, language: str, options: Mapping[str, Any]) -> Session:
        return RUNTIMES[language].restore(snapshot, key=self._key, **self._with(options))

    def _made(
        self, key: str, language: str, boundary: str, options: Mapping[str, Any], live: Session | None = None
    ) -> "HostSession":
        made = HostSession(self, key, language, boundary, dict(options), live)
        self._sessions[key, language] = made
        if self._sweeper is None:
            self._sweeper = Thread(target=self._sweep, name="wasmhost-host", daemon=True)
            self._sweeper.start()
        return made

    def _sweep(self) -> None:
        while True:
            with self._wake:
                self._wake.wait(min(self.idle_seconds / 4, 60))
            if self._closed:
                return
            try:
                self.evict_idle()
            except StoreError:
                # Each result of these sessions said so already; they stay in memory.
                continue

    def _make_room(self, newcomer: "HostSession") -> None:
        """Before a session comes into the memory: others that nobody uses go out of it, the longest unused first.

        Raises:
            HostFull: all are in use.
        """
        live = sorted((one for one in self._sessions.values() if one.live and one is not newcomer), key=_last_used)
        memory = sum(one.memory_bytes for one in live)
        most = self.max_memory_bytes
        for one in live:
            if len(live) < self.max_sessions and (most is None or memory < most):
                return
            size = one.memory_bytes
            if one._evict():
                memory -= size
                live = [other for other in live if other is not one]
        if len(live) >= self.max_sessions:
            raise HostFull(f"{self.max_sessions} sessions are in use at once: wait for one, or raise max_sessions")
        if most is not None and memory >= most:
            raise HostFull(f"sessions in use have {memory} bytes of memory: wait for one, or raise max_memory_bytes")


def _last_used(session: "HostSession") -> float:
    return session._used_at


def _checked_language(language: str) -> str:
    if language not in RUNTIMES:
        raise ValueError(f"language is one of {', '.join(RUNTIMES)}, not {language!r}")
    return language


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str) or len(text) > MAX_KEY:
        raise ValueError(f"{name} is a text of at most {MAX_KEY} characters")


class HostSession:
    """A session of a :class:`Host`: used like a runtime, wherever its state is just now. Made by the host.

    Every method brings it back into memory first if it is in the store, and raises what that raises: ``HostFull``,
    ``StoreError``, ``SnapshotError``; and ``SessionClosed`` once the host, or another boundary, has released it.
    Thread-safe as the runtimes are.
    """

    def __init__(
        self, host: Host, key: str, language: str, boundary: str, options: dict[str, Any], live: Session | None
    ) -> None:
        self._host = host
        self.key: str = key
        self.language: str = language
        self.boundary: str = boundary
        self._options = options
        self._live: Session | None = None
        self._uses = 0
        self._used_at = monotonic()
        self._released = False
        # Whether the store has the state as it is.
        self._saved = False
        self._name = entry_name(key, language)
        if live is not None:
            try:
                host._make_room(self)
            except HostFull:
                live.close()
                raise
            self._take(live)
            self._saved = True

    # ---- where it is ----

    @property
    def closed(self) -> bool:
        """Whether the host has released it."""
        return self._released

    @property
    def live(self) -> bool:
        """Whether it is in memory."""
        return self._live is not None

    @property
    def memory_bytes(self) -> int:
        """What its memory has grown to; 0 unless it is in memory."""
        live = self._live
        instance = None if live is None else live._instance
        return 0 if instance is None else instance.memory_bytes

    @property
    def idle_seconds(self) -> float:
        """For how long nobody has used it; 0 while somebody does."""
        return 0.0 if self._uses else monotonic() - self._used_at

    @property
    def state(self) -> State:
        """``idle``, ``running``, ``suspended``, ``stored`` or ``closed``."""
        live = self._live
        if self._released:
            return "closed"
        if live is None:
            return "stored"
        if live._running is not None:
            return "running"
        return "suspended" if live._suspended is not None else "idle"

    def info(self) -> SessionInfo:
        """All of that at once."""
        return SessionInfo(self.key, self.language, self.boundary, self.state, self.memory_bytes, self.idle_seconds)

    # ---- using it ----

    def run(self, code: str, *, limits: Limits | None = None, on_output: "OnOutput | None" = None) -> "Result":
        """See :meth:`wasmhost.PythonRuntime.run`."""
        with self._use() as live:
            return live.run(code, limits=limits, on_output=on_output)

    async def execute(
        self,
        code: str,
        *,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
        description: str | None = None,
    ) -> "Result":
        """See :meth:`wasmhost.PythonRuntime.execute`."""
        with self._use() as live:
            return await live.execute(code, limits=limits, on_output=on_output, description=description)

    @property
    def pending_approvals(self) -> "list[ApprovalRequest]":
        """See :attr:`wasmhost.PythonRuntime.pending_approvals`."""
        with self._use() as live:
            return live.pending_approvals

    def queue(self, withhold: "Withhold | None" = None) -> "CellQueue":
        """See :meth:`wasmhost.PythonRuntime.queue`."""
        from .session.queue import CellQueue

        return CellQueue(self, withhold)

    async def resume(
        self,
        *,
        approvals: "Mapping[str, Allow | Deny] | None" = None,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
    ) -> "Result":
        """See :meth:`wasmhost.PythonRuntime.resume`. From here on until the cell has ended the entry in the store says
        that it was gone on with."""
        with self._use() as live, self._claimed(live):
            return await live.resume(approvals=approvals, limits=limits, on_output=on_output)

    def resume_blocking(
        self,
        *,
        approvals: "Mapping[str, Allow | Deny] | None" = None,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
    ) -> "Result":
        """The same as :meth:`resume` without an event loop."""
        with self._use() as live, self._claimed(live):
            return live.resume_blocking(approvals=approvals, limits=limits, on_output=on_output)

    async def reset(self) -> None:
        """See :meth:`wasmhost.PythonRuntime.reset`."""
        with self._use() as live:
            await live.reset()
            self._keep()

    def reset_blocking(self) -> None:
        """See :meth:`wasmhost.PythonRuntime.reset_blocking`."""
        with self._use() as live:
            live.reset_blocking()
            self._keep()

    async def call_tool(
        self, name: str, arguments: "dict[str, Any] | None" = None, *, limits: Limits | None = None
    ) -> "Result":
        """See :meth:`wasmhost.PythonRuntime.call_tool`."""
        with self._use() as live:
            return await live.call_tool(name, arguments, limits=limits)

    def snapshot(self, *, key: bytes | None = None) -> bytes:
        """See :meth:`wasmhost.PythonRuntime.snapshot`."""
        with self._use() as live:
            return live.snapshot(key=key)

    def fork(self, key: str, *, boundary: str | None = None, reseed: bool = True) -> "HostSession":
        """A session of another key that goes on from where this one is.

        Raises:
            ValueError: the key is this session's own.
            SessionBusy: guest code runs just now.
        """
        host = self._host
        if key == self.key:
            raise ValueError(f"a fork needs a key of its own, not {key[:80]!r}")
        _check_text("key", key)
        with self._use() as live, host._lock:
            (branch,) = live.fork(1, reseed=reseed)
            found = host._sessions.get((key, self.language))
            if found is not None:
                found._release()
            where = self.boundary if boundary is None else boundary
            made = host._made(key, self.language, where, self._options, branch)
            made._keep()
            return made

    def describe(self, *, most: int = 200) -> "list[Variable]":
        """See :meth:`wasmhost.PythonRuntime.describe`."""
        with self._use() as live:
            return live.describe(most=most)

    def complete(self, code: str, cursor: int | None = None) -> "Completion":
        """See :meth:`wasmhost.PythonRuntime.complete`."""
        with self._use() as live:
            return live.complete(code, cursor)

    def instructions(self, *, form: str = "short", max_chars: int | None = None) -> str:
        """See :meth:`wasmhost.PythonRuntime.instructions`."""
        with self._use() as live:
            return live.instructions(form=form, max_chars=max_chars)

    def declarations(self, language: str | None = None, *, form: str = "short", max_chars: int | None = None) -> str:
        """See :meth:`wasmhost.PythonRuntime.declarations`."""
        with self._use() as live:
            return live.declarations(language, form=form, max_chars=max_chars)

    def __repr__(self) -> str:
        return f"HostSession({self.key!r}, {self.language!r}, {self.boundary!r}, {self.state!r})"

    # ---- how it comes and goes ----

    @contextmanager
    def _use(self) -> Iterator[Session]:
        host = self._host
        with host._lock:
            host._check_open()
            if self._released:
                raise SessionClosed(f"this session of {self.key[:80]!r} was released; ask the host for it")
            live = self._live
            if live is None:
                live = self._bring_back()
            self._uses += 1
        try:
            yield live
        finally:
            with host._lock:
                self._uses -= 1
                self._used_at = monotonic()

    def _bring_back(self) -> Session:
        host = self._host
        host._make_room(self)
        entry = host._entry(self.key, self.language, "resume") if self._saved else None
        if entry is None:
            live = RUNTIMES[self.language](**host._with(self._options))
        else:
            live = host._restored(entry.snapshot, self.language, self._options)
        self._take(live)
        return live

    def _take(self, live: Session) -> None:
        self._live = live
        live._after_cell = self._after_cell

    def _after_cell(self) -> str:
        """After each cell, before its result: the state goes to the store. What to say where it could not."""
        if isinstance(self._host._store, MemoryStore):
            # It would end with this process as the session does: enough when the session leaves the memory.
            self._saved = False
            return ""
        try:
            self._keep(True)
            return ""
        except StoreError as error:
            return f"the session could not be stored, and the store has its state before this cell: {error}"

    def _keep(self, in_turn: bool = False) -> None:
        live, host = self._live, self._host
        if live is None or self._released:
            return
        from .session.saving import snapshot_in_turn

        self._saved = False
        data = snapshot_in_turn(live, host._key) if in_turn else live.snapshot(key=host._key)
        host._store.save(self._name, _Entry(self.key, self.language, self.boundary, data).write())
        self._saved = True

    @contextmanager
    def _claimed(self, live: Session) -> Iterator[None]:
        """While a suspended cell goes on, its entry says so."""
        if live._suspended is not None:
            data = live.snapshot(key=self._host._key)
            entry = _Entry(self.key, self.language, self.boundary, data, claimed=True)
            self._saved = False
            self._host._store.save(self._name, entry.write())
        try:
            yield
        except (LookupError, TypeError, ValueError):
            # It did not go on: a decision about something else.
            if live._suspended is not None:
                self._keep()
            raise

    def _evict(self) -> bool:
        """Out of the memory; False: it is not there, or in use, or the store does not have it."""
        live = self._live
        if live is None or self._uses or self._released:
            return False
        if not self._saved:
            if live._instance is None and live._suspended is None and live._checkpoint is None:
                # Nothing has run yet.
                self._drop_live()
                return True
            try:
                self._keep()
            except (StoreError, SessionBusy, SnapshotError):
                return False
        self._drop_live()
        return True

    def _drop_live(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live._after_cell = None
            live.close()

    def _release(self) -> None:
        """The host has another session for the key."""
        self._released = True
        self._drop_live()
        self._host._sessions.pop((self.key, self.language), None)


__all__ = ["Host", "HostSession", "SessionInfo"]
