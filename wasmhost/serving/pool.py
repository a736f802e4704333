"""Sessions of clients: each connection has a scope of named ones, and a process has a ceiling (decision 0047)."""

import math
import string
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import anyio
from anyio import to_thread

from ..errors import SessionClosed, WasmhostError
from ..limits import Limits
from ..settings import LANGUAGES

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from ..results import RuntimeFailure, RuntimeSuccess
    from ..session.session import Session

    Result = RuntimeSuccess | RuntimeFailure
    OnOutput = Callable[[str, bytes], None]
    # Makes a session of a language, for a name.
    Make = Callable[[str, str], Session]

# Rows C3 and 09 of the issues: those of the service that this replaces.
MAX_SESSIONS = 16
MAX_PER_SCOPE = 4
IDLE_SECONDS = 900.0
SCRIPT_MS = 30_000
MAX_SCRIPT_MS = 300_000
MAX_NAME = 64
_NAME_CHARS = frozenset(string.ascii_letters + string.digits + "._-")
# Sessions that have ended, by scope, of which it is known why.
_MAX_ENDED = 64
# For a cell to be cancelled and a guest to be freed, when a scope ends.
_CLOSE_SECONDS = 10.0

State = Literal["starting", "idle", "running", "ended"]


class TooManySessions(WasmhostError):
    """There is no room for another session; the text says which there are and what to do."""


class SessionState:
    """What is told of a session: ``name``, ``language``, ``state`` (``starting``, ``idle``, ``running``, ``ended``),
    ``cells`` that it has run since it began, ``idle_seconds`` (0 while it is used), ``reason`` why it has ended."""

    __slots__ = ("cells", "idle_seconds", "language", "name", "reason", "state")

    def __init__(self, name: str, language: str, state: State, cells: int, idle_seconds: float, reason: str) -> None:
        self.name: str = name
        self.language: str = language
        self.state: State = state
        self.cells: int = cells
        self.idle_seconds: float = idle_seconds
        self.reason: str = reason

    def to_dict(self) -> dict[str, Any]:
        """For JSON, in camelCase; ``reason`` only where it has ended."""
        told: dict[str, Any] = {
            "name": self.name,
            "language": self.language,
            "state": self.state,
            "cells": self.cells,
            "idleSeconds": round(self.idle_seconds, 1),
        }
        if self.reason:
            told["reason"] = self.reason
        return told

    def __repr__(self) -> str:
        return f"SessionState({self.name!r}, {self.language!r}, {self.state!r})"


class Ran:
    """A cell that was run: its ``result``, and ``notes`` about its session, as that it is a new one and why."""

    __slots__ = ("notes", "result")

    def __init__(self, result: "Result", notes: tuple[str, ...]) -> None:
        self.result: Result = result
        self.notes: tuple[str, ...] = notes


class _Entry:
    __slots__ = ("cells", "language", "name", "reason", "session", "starting", "used_at", "uses")

    def __init__(self, name: str, language: str) -> None:
        self.name: str = name
        self.language: str = language
        self.session: Session | None = None
        self.starting: anyio.Event | None = None
        self.cells: int = 0
        self.uses: int = 0
        self.used_at: float = monotonic()
        # Why it has ended; empty: it has a place.
        self.reason: str = ""

    def state(self) -> SessionState:
        kind: State = "starting" if self.starting else "running" if self.uses else "ended" if self.reason else "idle"
        idle = monotonic() - self.used_at if kind == "idle" else 0.0
        return SessionState(self.name, self.language, kind, self.cells, idle, self.reason)


class SessionPool:
    """Sessions of all clients of a process. Of one event loop (asyncio or trio)::

        async with SessionPool(make) as pool, pool.scope() as scope:
            ran = await scope.run("main", "python", "1 + 1")

    Args:
        make: makes a session of a language (``python``, ``javascript``, ``typescript``) for a name. It is called in a
            worker thread; what it raises is raised by what needed the session.
        max_sessions: of all scopes together.
        max_per_scope: of one.
        idle_seconds: after which a session that nobody uses ends.
        script_ms: script time of a cell that does not ask for any, in milliseconds.
        max_script_ms: the most that a cell may ask for. Sessions that ``make`` makes need limits as wide as that.

    Raises:
        ValueError: a number that is not above 0.
    """

    def __init__(
        self,
        make: "Make",
        *,
        max_sessions: int = MAX_SESSIONS,
        max_per_scope: int = MAX_PER_SCOPE,
        idle_seconds: float = IDLE_SECONDS,
        script_ms: float = SCRIPT_MS,
        max_script_ms: float = MAX_SCRIPT_MS,
    ) -> None:
        numbers = {
            "max_sessions": max_sessions,
            "max_per_scope": max_per_scope,
            "idle_seconds": idle_seconds,
            "script_ms": script_ms,
            "max_script_ms": max_script_ms,
        }
        for name, number in numbers.items():
            if not (number > 0 and math.isfinite(number)):
                raise ValueError(f"{name} is a number above 0, not {number!r}")
        self._make = make
        self.max_sessions: int = max_sessions
        self.max_per_scope: int = max_per_scope
        self.idle_seconds: float = idle_seconds
        self.script_ms: float = min(script_ms, max_script_ms)
        self.max_script_ms: float = max_script_ms
        self._scopes: set[Scope] = set()
        self._group: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._sweep)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        group, self._group = self._group, None
        assert group is not None
        group.cancel_scope.cancel()
        try:
            await group.__aexit__(None, None, None)
        finally:
            for scope in list(self._scopes):
                await scope.aclose("the server has shut down")

    def scope(self, make: "Make | None" = None) -> "Scope":
        """Sessions of one more client. Whoever has it has them; nobody else can reach them.

        Args:
            make: makes them; by default as the pool does.

        Raises:
            SessionClosed: the pool was not entered, or has been left.
        """
        if self._group is None:
            raise SessionClosed("the pool is not open: use it in `async with`")
        made = Scope(self, make or self._make)
        self._scopes.add(made)
        return made

    @property
    def sessions(self) -> int:
        """How many have a place now."""
        return sum(len(scope._live()) + scope._reserved for scope in self._scopes)

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(min(self.idle_seconds / 4, 30))
            for scope in list(self._scopes):
                await scope._end_idle(self.idle_seconds)


class Scope:
    """The sessions of one client, by name and language; made by :meth:`SessionPool.scope`. Of the pool's event loop.
    Several cells may be asked for at a time: those of one session wait for each other, at most eight."""

    def __init__(self, pool: SessionPool, make: "Make") -> None:
        self._pool = pool
        self._make = make
        self._entries: dict[tuple[str, str], _Entry] = {}
        # Places of sessions that are being made to replace others.
        self._reserved = 0
        self.closed: str = ""

    async def run(
        self,
        name: str,
        language: str,
        code: str,
        *,
        timeout_ms: float | None = None,
        on_output: "OnOutput | None" = None,
    ) -> Ran:
        """Runs a cell in the session of that name, which is made where there is none. Cancellation cancels the cell.

        Args:
            name: letters, digits, dots, underscores, hyphens; at most 64.
            timeout_ms: script time; more than the pool allows is cut to that, with a note.
            on_output: as for a runtime.

        Raises:
            ValueError: no such language, or a name that does not fit.
            TooManySessions: there is no room for another one.
            SessionBusy: eight cells of the session are queued or running.
            SessionClosed: the scope is closed.
            LimitsError: a time-out that is not above 0.
        """
        limits, cut = self._limits(timeout_ms)
        async with self._use(name, language) as (entry, session, notes):
            result = await session.execute(code, limits=limits, on_output=on_output)
            entry.cells += 1
            return Ran(result, notes + cut)

    def _limits(self, timeout_ms: float | None) -> tuple[Limits, tuple[str, ...]]:
        most = self._pool.max_script_ms
        limits = Limits(script_ms=self._pool.script_ms if timeout_ms is None else timeout_ms)
        if limits.script_ms <= most:
            return limits, limits.notes
        return Limits(script_ms=most), (f"a time-out of {timeout_ms:g} ms is more than the most here: {most:g} ms",)

    @asynccontextmanager
    async def use(self, name: str, language: str) -> "AsyncIterator[tuple[Session, tuple[str, ...]]]":
        """The session of a name, and notes about it, for whatever a session can do. It does not end by idling inside.

        Raises:
            ValueError, TooManySessions, SessionClosed: as for :meth:`run`.
        """
        async with self._use(name, language) as (_, session, notes):
            yield session, notes

    @asynccontextmanager
    async def _use(self, name: str, language: str) -> "AsyncIterator[tuple[_Entry, Session, tuple[str, ...]]]":
        entry, notes = self._entry(name, language)
        entry.uses += 1
        try:
            yield entry, await self._started(entry), notes
        finally:
            entry.uses -= 1
            entry.used_at = monotonic()

    async def reset(self, name: str, language: str | None = None) -> list[SessionState]:
        """Ends the sessions of a name: variables and registered tools are gone, a cell that runs is cancelled, the
        place is free. What was spent and what the isolation latch knows stays. Gives those that it has ended.

        Args:
            language: only the session of this one.

        Raises:
            ValueError, SessionClosed: as for :meth:`run`.
        """
        self._check(name, language)
        found = [one for one in self._live() if one.name == name and language in (None, one.language)]
        for entry in found:
            await self._end(entry, "it was reset")
        return [one.state() for one in found]

    async def replace(self, name: str, language: str, make: "Callable[[], Session]") -> None:
        """A session in place of that of a name, or as a new one; the old one ends once the other is there, with what
        was spent and what its latch knows.

        Args:
            make: makes it, in a worker thread.

        Raises:
            ValueError, TooManySessions, SessionClosed: as for :meth:`run`; and what ``make`` raises.
        """
        self._check(name, language)
        old = self._entries.get((name, language))
        needed = 1 if old is None or old.reason else 0
        if needed:
            self._check_room(name)
        entry = _Entry(name, language)
        self._reserved += needed
        try:
            # Whoever waits for it may go away: it is made all the same, and has its place.
            with anyio.CancelScope(shield=True):
                entry.session = await to_thread.run_sync(make)
        finally:
            self._reserved -= needed
        old = self._entries.pop((name, language), None)
        if self.closed:
            await _close(entry, self.closed)
            self._check(name, language)
        self._entries[name, language] = entry
        if old is not None:
            await _close(old, "it was replaced")

    def sessions(self) -> list[SessionState]:
        """What there is, and the last that have ended, in the order in which they began."""
        return [one.state() for one in self._entries.values()]

    async def aclose(self, reason: str = "the connection was closed") -> None:
        """Ends all sessions. Cells that run are cancelled. Closing twice is harmless; nothing that goes wrong with one
        session keeps another from its end."""
        if self.closed:
            return
        self.closed = reason or "closed"
        self._pool._scopes.discard(self)
        entries = [one for one in self._entries.values() if one.session is not None]
        with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
            async with anyio.create_task_group() as group:
                for entry in entries:
                    group.start_soon(_close, entry, reason)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    # ---- entries ----

    def _check(self, name: str, language: str | None) -> None:
        if self.closed:
            raise SessionClosed(f"these sessions have ended: {self.closed}")
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not _NAME_CHARS.issuperset(name):
            raise ValueError(
                f"the name of a session is 1 to {MAX_NAME} letters, digits, dots, underscores or hyphens, not "
                f"{str(name)[:80]!r}"
            )
        if language is not None and language not in LANGUAGES:
            raise ValueError(f"language is one of {', '.join(LANGUAGES)}, not {str(language)[:80]!r}")

    def _live(self) -> list[_Entry]:
        # Also one that was reset, while cells that were queued before that still run.
        return [one for one in self._entries.values() if not one.reason or one.uses]

    def _entry(self, name: str, language: str) -> tuple[_Entry, tuple[str, ...]]:
        self._check(name, language)
        entry = self._entries.get((name, language))
        if entry is not None and not entry.reason:
            return entry, ()
        self._check_room(name)
        if entry is None:
            entry = self._entries[name, language] = _Entry(name, language)
            self._forget()
            return entry, ()
        note = f"session {name!r} is a new one: {entry.reason}. Variables and registered tools of before are gone"
        entry.reason, entry.cells = "", 0
        # At the end of the order, as what began last.
        self._entries[name, language] = self._entries.pop((name, language))
        return entry, (note,)

    def _check_room(self, name: str) -> None:
        mine, pool = self._live(), self._pool
        if len(mine) + self._reserved >= pool.max_per_scope:
            there = ", ".join(f"{one.name} ({one.language})" for one in mine)
            raise TooManySessions(
                f"no room for a session {name!r}: this connection has its {pool.max_per_scope}: {there}. Use one of "
                "them, or reset one to free its place"
            )
        if pool.sessions >= pool.max_sessions:
            raise TooManySessions(
                f"no room for a session {name!r}: all {pool.max_sessions} of this server are in use. Use one that you "
                f"have, or try again later: sessions that nobody uses end after {pool.idle_seconds:g} s"
            )

    def _forget(self) -> None:
        ended = [key for key, one in self._entries.items() if one.reason]
        for key in ended[: max(0, len(ended) - _MAX_ENDED)]:
            del self._entries[key]

    async def _started(self, entry: _Entry) -> "Session":
        while entry.starting is not None:
            # Another one's cell makes it just now.
            await entry.starting.wait()
        if entry.session is None:
            self._check(entry.name, entry.language)
            entry.starting = anyio.Event()
            try:
                # Whoever waits for it may go away: it is made all the same, and closed if the scope has gone.
                with anyio.CancelScope(shield=True):
                    entry.session = await to_thread.run_sync(self._make, entry.language, entry.name)
            except BaseException:
                if self._entries.get((entry.name, entry.language)) is entry and entry.uses <= 1:
                    del self._entries[entry.name, entry.language]
                raise
            finally:
                entry.starting.set()
                entry.starting = None
            if self.closed:
                await _close(entry, self.closed)
        session = entry.session
        if self.closed or session is None:
            raise SessionClosed(f"these sessions have ended: {self.closed}")
        return session

    async def _end(self, entry: _Entry, reason: str) -> None:
        entry.reason = reason
        self._forget()
        session = entry.session
        if session is not None:
            try:
                await session.reset()
            except Exception:  # such as SessionLost, after a fork; what cannot be reset is not used again
                if entry.session is session:
                    await _close(entry, reason)

    async def _end_idle(self, seconds: float) -> None:
        now = monotonic()
        for entry in self._live():
            if entry.uses == 0 and entry.starting is None and now - entry.used_at >= seconds:
                await self._end(entry, f"nobody had used it for {seconds:g} s")


async def _close(entry: _Entry, reason: str) -> None:
    entry.reason = reason
    session, entry.session = entry.session, None
    if session is not None:
        try:
            await session.aclose()
        except Exception:  # whatever it is, the others end too, and nobody is there to be told
            return
