"""The isolation latch (row B12): classes of capabilities that exclude each other for the life of a session."""

from _thread import allocate_lock
from collections.abc import Iterable, Sequence

from ..errors import CapabilityDefinitionError


class Isolation:
    """Which classes of capabilities do not go together. Immutable.

    Args:
        exclusive: groups of classes of which a session uses one: once a call of one was made, the others are refused.
        after: pairs ``(source, sink)``: once a call of class ``source`` was made, each call of class ``sink`` is asked
            about, whatever the policy allows.
    """

    def __init__(self, exclusive: Sequence[Iterable[str]] = (), after: Sequence[tuple[str, str]] = ()) -> None:
        groups = []
        for group in exclusive:
            if isinstance(group, str) or len(set(group)) < 2:
                raise CapabilityDefinitionError(f"an exclusive group names two or more classes, not {group!r}")
            groups.append(frozenset(group))
        self.exclusive: tuple[frozenset[str], ...] = tuple(groups)
        self.after: tuple[tuple[str, str], ...] = tuple((source, sink) for source, sink in after)


class Latch:
    """What of it a session has used. Thread-safe. Survives ``reset``; only the host clears it (``new_boundary``)."""

    def __init__(self, rules: Isolation) -> None:
        self.rules: Isolation = rules
        self._used: dict[str, str] = {}  # class: the capability that used it first
        self._lock = allocate_lock()

    def conflict(self, classes: Sequence[str]) -> str | None:
        """Why a call with these classes is refused now, or None."""
        for group in self.rules.exclusive:
            for mine in classes:
                if mine not in group:
                    continue
                for other, by in self._used.items():
                    if other in group and other != mine:
                        return (
                            f"isolation: {mine!r} and {other!r} exclude each other in one session, and {by} has used "
                            f"{other!r} already"
                        )
        return None

    def asks(self, classes: Sequence[str]) -> str | None:
        """The source after which a call with these classes must be asked about, or None."""
        for source, sink in self.rules.after:
            if sink in classes and source in self._used:
                return source
        return None

    def enter(self, classes: Sequence[str], name: str) -> str | None:
        """Takes the classes for the session, at the last moment before a call is made; or why it is refused."""
        with self._lock:
            problem = self.conflict(classes)
            if problem is None:
                for one in classes:
                    self._used.setdefault(one, name)
            return problem

    def branch(self) -> "Latch":
        """A copy that goes its own way."""
        made = Latch(self.rules)
        with self._lock:
            made._used = dict(self._used)
        return made

    def put(self, used: Sequence[str]) -> None:
        """Classes that the session has used before it came here."""
        with self._lock:
            for one in used:
                self._used.setdefault(one, "an earlier call")

    def trip(self) -> None:
        """As if each class that a rule names had been used: nothing is known that could be trusted."""
        named = {one for group in self.rules.exclusive for one in group} | {source for source, _ in self.rules.after}
        with self._lock:
            for one in sorted(named):
                self._used.setdefault(one, "an earlier call (the snapshot was not signed)")

    def clear(self) -> None:
        with self._lock:
            self._used.clear()

    @property
    def used(self) -> tuple[str, ...]:
        """The classes that the session has used."""
        return tuple(self._used)
