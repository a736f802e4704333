"""How long the engine of Grep holds the interpreter lock at a time, for the worst patterns known: compiling one, and
searching one piece of text. No other thread runs meanwhile."""

import time

from wasmhost.errors import CapabilityError
from wasmhost.packs.pattern import LinePattern

from .measure import Row, print_table

MOST_MS = 100.0

HOSTILE = [
    "(a+)+$",
    "(a+)+$b",
    "(a|a)*b$",
    "(a*)*b$",
    "(?:a?){100}a{100}b",
    "(?:a?){240}a{240}b",
    "(?:a?){500}a{500}b",
    "a{400}a{400}b",
    "((a{9}){9}){9}b",
    "((a{20}){20}){20}b",
    "(?:(?:(?:a{0,9}){0,9}){0,9}){0,9}!",
    "[ab]*a[ab]{400}c",
    "[ab]*a[ab]{400}[cd]$",
    "(?:a|b|ab|ba|aa){60}!$",
    "(.*a){12}z",
    "(.*)(.*)(.*)(.*)(.*)z$",
    "(?:.{0,50}a){8}!",
    "(.?){300}x$",
    r"\w{45}\d$",
    r"\w{80}\d$",
    r"\w{100}\d",
    r"(\w+\s*)+\d$",
    r"(?i)(?:straße|ſſ|K){30}!",
    r"\b(?:\w{1,9} ?){9}\b!$",
    r"^(\w+\b\W*){20}!$",
    r"(?:\pL\PL?){20}z",
    r"[\w--\d]{45}!$",
    r"[^a]{400}!",
    "(?:(?:(?:(?:(?:(?:a?)?)?)?)?)?){140}b$",
    "x" * 400 + "|" + "y" * 400,
    "|".join("a" * number for number in range(1, 40)) + "b$",
]

_CHARS = 65_536
TEXTS = {
    "a": "a" * _CHARS,
    "ab": ("a" * 31 + "b") * (_CHARS // 32),
    "mixed": "".join("ab"[number * number // 7 % 2] for number in range(_CHARS)),
    "Unicode": "éא字" * (_CHARS // 7),
    "words": "some words and 12 numbers " * (_CHARS // 26),
}


def longest(pattern: str) -> tuple[float, float] | None:
    """Milliseconds to compile a pattern, and of the longest search of one piece; None: it is refused."""
    started = time.perf_counter()
    try:
        made = LinePattern(pattern, False)
    except CapabilityError:
        return None
    compiled = (time.perf_counter() - started) * 1e3
    longest = 0.0
    for text in TEXTS.values():
        piece = text[: 2 * made.piece]  # what is left of the piece before may come on top
        for search in (made.in_line, made.may_be_in):
            started = time.perf_counter()
            search(piece)
            longest = max(longest, (time.perf_counter() - started) * 1e3)
    return compiled, longest


def main() -> int:
    rows: list[Row] = []
    for pattern in HOSTILE:
        name = pattern if len(pattern) <= 40 else f"{pattern[:37]}..."
        found = longest(pattern)
        if found is None:
            rows.append(Row(name, 0.0, "ms", None, "refused"))
            continue
        compiled, searched = found
        rows.append(Row(name, max(compiled, searched), "ms", MOST_MS, f"compiled in {compiled:.1f}, {searched:.1f}"))
    return print_table("Grep: longest time that a pattern holds the interpreter lock", rows)
