"""Regular expressions from guests. They run in the engine of pydantic-core (Rust's ``regex``: linear time), which holds
the interpreter lock while it runs; so what a pattern may cost is bounded before it is compiled, and a text is given to
it in pieces that are the smaller the more the pattern costs (security rule 10, decision 0018)."""

from itertools import pairwise

from pydantic_core import SchemaError, SchemaValidator, core_schema

from ..errors import CapabilityError

MAX_PATTERN = 1_000
# Copies of its atoms that a pattern stands for once repetitions are written out: each may cost some ten nanoseconds for
# each character of the text.
MAX_STEPS = 1_000
# What compiling it may cost, in units of some three microseconds. Memory goes with it: pydantic-core keeps the last
# hundred or so patterns.
MAX_SIZE = 5_000
# Up to here it is compiled twice.
_SMALL = 1_000
_STEPS_A_PIECE = 4_000_000
_LEAST_PIECE, _MOST_PIECE = 4_096, 65_536

# Sizes: of classes with characters all over Unicode, of digits, of the rest. Only the first cost more than a step.
_LARGE, _DIGITS, _SMALL_CLASS, _LITERAL = 100, 10, 4, 2
_LARGE_STEPS = 10


class LinePattern:
    """A pattern that is looked for in lines.

    Raises:
        CapabilityError: a pattern that the engine does not know, or that costs too much.
    """

    def __init__(self, pattern: str, ignore_case: bool) -> None:
        if len(pattern) > MAX_PATTERN:
            raise _refused(f"has {len(pattern)} characters, more than {MAX_PATTERN}")
        cost = _Cost(pattern)
        steps, size = cost.whole()
        if steps > MAX_STEPS or size > MAX_SIZE:
            raise _refused("repeats too much: use smaller numbers in {...}")
        # Characters of text in one call of the engine.
        self.piece: int = max(_LEAST_PIECE, min(_MOST_PIECE, _STEPS_A_PIECE // max(steps, 1)))
        self._line = _compiled(f"(?i){pattern}" if ignore_case else pattern)
        # Several lines at a time: what is in one of them is in them all, but for what only the ends of a text match.
        alone = "\\A" in pattern or "\\z" in pattern or cost.takes_flags_back or size > _SMALL
        self._lines = None if alone else _compiled(f"(?{'im' if ignore_case else 'm'}){pattern}")

    def in_line(self, line: str) -> bool:
        """Whether it is in a line, given without its end."""
        return self._line.isinstance_python(line)

    def may_be_in(self, lines: str) -> bool:
        """False: it is in none of these lines."""
        return self._lines is None or self._lines.isinstance_python(lines)


def _compiled(pattern: str) -> SchemaValidator:
    try:
        return SchemaValidator(core_schema.str_schema(strict=True, pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        told = next((line.removeprefix("error: ") for line in reversed(lines) if line.startswith("error: ")), None)
        if told is None:
            told = "it is too large" if "size limit" in str(error) else "it is not a regular expression"
        raise _refused(f"cannot be used: {told}") from None


class _Cost:
    """An upper bound of what a pattern stands for when its repetitions are written out: (steps, size), where steps are
    copies of atoms and operators, and size weighs each by what it is compiled to."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self.takes_flags_back: bool = False

    def whole(self) -> tuple[int, int]:
        # Of each open group: what it has cost so far, and its last atom, which a repetition would repeat.
        groups: list[tuple[int, int]] = []
        steps = size = 0
        last = (0, 0)
        text = self._text
        while self._at < len(text):
            char = text[self._at]
            self._at += 1
            if char == "(":
                if self._flags_only():
                    last = (0, 0)
                    continue
                groups.append((steps, size))
                steps = size = 0
                last = (0, 0)
                continue
            if char == ")":
                if not groups:
                    raise _refused("cannot be used: unopened group")
                last = (steps + 1, size + 1)
                steps, size = groups.pop()
            elif char in "*+?":
                # It stays one atom for what comes next.
                steps, size = steps + 1, size + 1
                last = (last[0] + 1, last[1] + 1)
                continue
            elif char == "{":
                times = self._times()
                steps, size = steps + last[0] * times + 1, size + last[1] * times + 1
                last = (last[0] * (times + 1) + 1, last[1] * (times + 1) + 1)
                continue
            elif char == "|":
                steps, size, last = steps + 1, size + 1, (0, 0)
                continue
            elif char == "[":
                last = _steps(self._class())
            elif char == ".":
                last = (1, _SMALL_CLASS)
            elif char == "\\":
                last = _steps(self._escape())
            else:
                last = (2, 2 * _LITERAL) if ord(char) > 127 else (1, _LITERAL)
            steps, size = steps + last[0], size + last[1]
            if steps > MAX_STEPS or size > MAX_SIZE:
                return steps, size
        for before, size_before in groups:
            steps, size = steps + before, size + size_before
        return steps, size

    def _flags_only(self) -> bool:
        """Reads what follows a ``(``; True if it is flags alone, which are no group."""
        text = self._text
        if not text.startswith("?", self._at):
            return False
        if text.startswith(("?P<", "?<"), self._at):
            end = text.find(">", self._at)
        else:
            end = self._at + 1
            while end < len(text) and text[end] not in ":)":
                if text[end] == "x":
                    raise _refused("cannot be used: the flag x (spaces and comments in it) is not available")
                self.takes_flags_back |= text[end] == "-"
                end += 1
        self._at = len(text) if end < 0 else min(end + 1, len(text))
        return text[self._at - 1 : self._at] == ")"

    def _times(self) -> int:
        """The larger number of ``{n,m}``."""
        end = self._text.find("}", self._at)
        inside = self._text[self._at : end] if end >= 0 else ""
        numbers = [number.strip() for number in inside.split(",")]
        if len(numbers) > 2 or not any(numbers) or not all(n == "" or (n.isascii() and n.isdigit()) for n in numbers):
            raise _refused("cannot be used: a { that is no repetition is written \\{")
        self._at = end + 1
        return max(int(number) for number in numbers if number)

    def _escape(self) -> int:
        """The size of what follows a backslash."""
        char = self._text[self._at : self._at + 1]
        self._at += 1
        if char and char in "pPxuUbB" and self._text.startswith("{", self._at):
            end = self._text.find("}", self._at)
            self._at = len(self._text) if end < 0 else end + 1
        return _kind(char)

    def _class(self) -> int:
        """The size of a ``[...]``, nested ones included."""
        start, depth, first = self._at, 1, True
        text = self._text
        if text.startswith("^", self._at):
            self._at += 1
        while self._at < len(text) and depth:
            char = text[self._at]
            self._at += 1
            if char == "\\":
                self._at += 1
            elif char == "[":
                depth += 1
                first = True
                if text.startswith("^", self._at):
                    self._at += 1
                continue
            elif char == "]" and not first:
                depth -= 1
            first = False
        inside = text[start : self._at]
        if not inside.isascii():
            return _LARGE
        escaped = [_kind(char) for before, char in pairwise(inside) if before == "\\"]
        return max(_SMALL_CLASS, *escaped) if escaped else _SMALL_CLASS


def _kind(escaped: str) -> int:
    """The size of a backslash and this character."""
    if escaped and escaped in "wWpP":
        return _LARGE
    return _DIGITS if escaped and escaped in "dD" else _SMALL_CLASS


def _steps(size: int) -> tuple[int, int]:
    return (_LARGE_STEPS if size == _LARGE else 1, size)


def _refused(why: str) -> CapabilityError:
    return CapabilityError(f"the pattern {why}", type="ValueError")
