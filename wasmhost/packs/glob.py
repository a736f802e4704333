"""Patterns of paths: ``**``, ``*``, ``?``, ``[...]``, ``{a,b}``. Matched folder by folder without backtracking into
folders already left, so that no pattern takes more than pattern times name."""

from itertools import pairwise

from ..errors import CapabilityError

MAX_PATTERN = 1_000
# What braces may be expanded to, and how many of them are looked at.
MAX_ALTERNATIVES = 100
_MAX_BRACES = 50

# Where a walk stands: alternative, and which of its parts comes next.
States = frozenset[tuple[int, int]]


class Glob:
    """One pattern, for paths relative to where a walk starts. Immutable.

    Raises:
        CapabilityError: the pattern is too long or leads out of the folder.
    """

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN:
            raise _refused(f"has {len(pattern)} characters, more than {MAX_PATTERN}")
        if pattern.startswith("/"):
            raise _refused("starts with '/': patterns are relative to the folder")
        self.folders: bool = pattern.endswith("/")
        self._alternatives: list[list[_Part | None]] = []  # None is `**`
        for text in _expand(pattern, 0):
            parts = [part for part in text.split("/") if part not in ("", ".")]
            if ".." in parts:
                raise _refused("has '..' in it: it would lead out of the folder")
            if parts:
                self._alternatives.append([None if part == "**" else _Part(part) for part in parts])
        if not self._alternatives:
            raise _refused("is empty")

    def start(self) -> States:
        """Where a walk begins."""
        return self._closed({(number, 0) for number in range(len(self._alternatives))})

    def enter(self, states: States, name: str, *, by_name: bool = False) -> States:
        """Where a walk stands in a folder of that name; empty: nothing in it can match.

        Args:
            by_name: only if the pattern spells the folder's name out.
        """
        following: set[tuple[int, int]] = set()
        for number, at in states:
            part = self._alternatives[number][at]
            if part is None:
                if not by_name:
                    following.add((number, at))
            elif part.fits(name, by_name) and at + 1 < len(self._alternatives[number]):
                following.add((number, at + 1))
        return self._closed(following)

    def matches(self, states: States, name: str, *, by_name: bool = False) -> bool:
        """Whether what has that name in the folder where the walk stands matches as a whole; ``by_name`` as above."""
        for number, at in states:
            parts = self._alternatives[number]
            if at == len(parts) - 1:
                part = parts[at]
                if (part is None and not by_name) or (part is not None and part.fits(name, by_name)):
                    return True
        return False

    def _closed(self, states: set[tuple[int, int]]) -> States:
        """`**` also stands for no folder at all."""
        todo = list(states)
        while todo:
            number, at = todo.pop()
            parts = self._alternatives[number]
            if parts[at] is None and at + 1 < len(parts) and (number, at + 1) not in states:
                states.add((number, at + 1))
                todo.append((number, at + 1))
        return frozenset(states)


class _Part:
    """The pattern of one name."""

    __slots__ = ("_tokens", "literal")

    def __init__(self, text: str) -> None:
        # A token is a character, None for `*`, True for `?`, or a set.
        self._tokens: list[str | bool | _Set | None] = []
        at = 0
        while at < len(text):
            char = text[at]
            end = _class_end(text, at) if char == "[" else 0
            if end:
                self._tokens.append(_Set(text[at + 1 : end]))
                at = end
            elif char == "*":
                if not self._tokens or self._tokens[-1] is not None:
                    self._tokens.append(None)
            else:
                self._tokens.append(True if char == "?" else char)
            at += 1
        whole = all(isinstance(token, str) for token in self._tokens)
        self.literal: str | None = "".join(str(token) for token in self._tokens) if whole else None

    def fits(self, name: str, by_name: bool) -> bool:
        """Whether it is the pattern of that name; ``by_name``: only if it is the name itself."""
        if self.literal is not None:
            return name == self.literal
        if by_name:
            return False
        tokens = self._tokens
        at = token = 0
        # The last `*` and what it covers: only that one is ever widened.
        star, covered = -1, 0
        while at < len(name):
            if token < len(tokens) and tokens[token] is None:
                star, covered = token, at
                token += 1
            elif token < len(tokens) and _fits(tokens[token], name[at]):
                token += 1
                at += 1
            elif star >= 0:
                covered += 1
                token, at = star + 1, covered
            else:
                return False
        while token < len(tokens) and tokens[token] is None:
            token += 1
        return token == len(tokens)


def _fits(token: "str | bool | _Set | None", char: str) -> bool:
    if isinstance(token, _Set):
        return token.has(char)
    return token is True or token == char


class _Set:
    """``[a-z]`` and ``[!a-z]``."""

    __slots__ = ("_chars", "_negated", "_ranges")

    def __init__(self, text: str) -> None:
        self._negated = text[:1] in ("!", "^")
        text = text[1:] if self._negated else text
        self._chars: set[str] = set()
        self._ranges: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            if at + 2 < len(text) and text[at + 1] == "-":
                self._ranges.append((text[at], text[at + 2]))
                at += 3
            else:
                self._chars.add(text[at])
                at += 1

    def has(self, char: str) -> bool:
        return (char in self._chars or any(a <= char <= b for a, b in self._ranges)) != self._negated


def _class_end(text: str, start: int) -> int:
    """Where a ``[`` is closed; 0 if it is not, and stands for itself."""
    at = start + 1
    if text[at : at + 1] in ("!", "^"):
        at += 1
    end = text.find("]", at + 1)  # the first character may be a `]`
    return max(end, 0) if "/" not in text[start : end + 1] else 0


def _expand(text: str, braces: int) -> list[str]:
    """The pattern without braces, once for each alternative."""
    found = _first_braces(text)
    if found is None:
        return [text]
    if braces >= _MAX_BRACES:
        raise _refused(f"has more than {_MAX_BRACES} braces")
    start, commas, end = found
    cuts = [start, *commas, end]
    middles: list[str] = []
    for left, right in pairwise(cuts):
        middles += _expand(text[left + 1 : right], braces + 1)
    ends = _expand(text[end + 1 :], braces + 1)
    if len(middles) * len(ends) > MAX_ALTERNATIVES:
        raise _refused(f"stands for more than {MAX_ALTERNATIVES} patterns, with all its braces")
    return [text[:start] + middle + rest for middle in middles for rest in ends]


def _first_braces(text: str) -> tuple[int, list[int], int] | None:
    """The first ``{`` that has its ``}`` and a comma between: where they are. Others stand for themselves."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, list[int], int] | None = None
    at = 0
    while at < len(text):
        char = text[at]
        if char == "[":
            at = _class_end(text, at) or at
        elif char == "{":
            opened.append((at, []))
        elif char == "," and opened:
            opened[-1][1].append(at)
        elif char == "}" and opened:
            start, commas = opened.pop()
            if commas and (best is None or start < best[0]):
                best = (start, commas, at)
            if not opened and best is not None:
                return best
        at += 1
    return best


def _refused(why: str) -> CapabilityError:
    return CapabilityError(f"the pattern of paths {why}", type="ValueError")
