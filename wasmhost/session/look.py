"""Looking at a session: its variables, and the names that may come next in a line of code.

The guest is asked in a branch that is thrown away, so nothing of the session changes, whatever its code does when it is
looked at.
"""

import re
from json import dumps
from typing import TYPE_CHECKING, Any

from ..errors import SessionBusy
from ..limits import Limits

if TYPE_CHECKING:
    from .session import Session

# For the guest to answer: `repr` of its own classes may do anything.
_LIMITS = Limits(script_ms=300, wall_ms=2_000, stdout_bytes=4096, stderr_bytes=4096)
MOST_VARIABLES = 1_000
MOST_NAMES = 200
_LINE = 500

# What stands before the cursor: names joined by dots, the last of which may be empty.
_PATH = {
    "python": re.compile(r"(?<![\w.)\]}'\"])((?:[^\W\d]\w*\s*\.\s*)*)([^\W\d]\w*)?$"),
    "javascript": re.compile(
        r"(?<![\w$.)\]}'\"`])((?:[^\W\d][\w$]*\s*\??\.\s*|\$[\w$]*\s*\??\.\s*)*)([^\W\d][\w$]*|\$[\w$]*)?$"
    ),
}


class Variable:
    """A variable of a session: ``name``; ``type``, as its language calls it; ``size``, the number of characters, bytes
    or members, or None; ``preview``, its beginning as one line of at most 120 characters. Guest code has a say in type
    and preview."""

    __slots__ = ("name", "preview", "size", "type")

    def __init__(self, name: str, type: str, size: int | None, preview: str) -> None:
        self.name: str = name
        self.type: str = type
        self.size: int | None = size
        self.preview: str = preview

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"name": self.name, "type": self.type, "size": self.size, "preview": self.preview}

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self.type!r}, {self.size!r}, {self.preview!r})"


class Completion:
    """Names that may stand at a cursor: ``start``, where the name begins that they complete, and ``names``, in
    order."""

    __slots__ = ("names", "start")

    def __init__(self, start: int, names: list[str]) -> None:
        self.start: int = start
        self.names: list[str] = names

    def __repr__(self) -> str:
        return f"Completion({self.start}, {self.names!r})"


def describe(session: "Session", most: int) -> list[Variable]:
    if type(most) is not int or not 1 <= most <= MOST_VARIABLES:
        raise ValueError(f"most is a number from 1 to {MOST_VARIABLES}, not {most!r}")
    made = []
    # A `repr` of the guest that does not end must not hide everything else.
    for item in _asked(session, None, "", most) or _asked(session, None, "plain", most):
        if type(item) is list and len(item) == 4 and [type(item[i]) for i in (0, 1, 3)] == [str, str, str]:
            name, kind, size, preview = item
            made.append(Variable(name, kind, size if type(size) is int else None, preview))
    return made


def complete(session: "Session", code: str, cursor: int | None) -> Completion:
    if not isinstance(code, str):
        raise TypeError(f"code must be a str, not {type(code).__name__}")
    cursor = len(code) if cursor is None else cursor
    if type(cursor) is not int or not 0 <= cursor <= len(code):
        raise ValueError(f"cursor is a place in the code, from 0 to {len(code)}, not {cursor!r}")
    # The line is enough, and its end.
    before = code[max(0, cursor - _LINE) : cursor].rsplit("\n", 1)[-1]
    found = _PATH["python" if session.language == "python" else "javascript"].search(before)
    if found is None:
        return Completion(cursor, [])
    joined, prefix = found[1], found[2] or ""
    path = [part.strip(" \t?") for part in joined.split(".")[:-1]]
    if not path and not prefix:
        return Completion(cursor, [])
    names = [name for name in _asked(session, path, prefix, MOST_NAMES) if type(name) is str and len(name) <= _LINE]
    return Completion(cursor - len(prefix), names)


def _asked(session: "Session", path: list[str] | None, prefix: str, most: int) -> list[Any]:
    if session._running is not None or session._suspended is not None:
        raise SessionBusy("a cell of this session runs or is suspended; between cells this works")
    (branch,) = session.fork(1)
    with branch:
        branch._trace = None
        branch.limits = session.limits
        request = dumps([path, prefix, most])
        result = branch._run_blocking(_LIMITS, lambda: branch._begin(request, _LIMITS, None, None, look=True))
    return result.value if result.ok and type(result.value) is list else []


__all__ = ["Completion", "Variable"]
