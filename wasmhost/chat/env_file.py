"""A reader of ``.env`` files: ``NAME=value`` lines, and nothing that a shell would do with them."""

import os
from collections.abc import Mapping

from ..capabilities.approval import printable
from ..errors import SettingsError
from ..settings import read_regular

MAX_BYTES = 64 << 10
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "$": "$"}


def read_env_file(path: "str | os.PathLike[str]") -> Mapping[str, str] | None:
    """The variables of a file, which go nowhere else: neither into the environment nor to a child.

    A line is ``NAME=value``, with ``export`` before it if need be; ``#`` begins a comment. A value in single quotes is
    taken as it is, one in double quotes may have backslash escapes, and both end in their line. There are no
    references to other variables.

    Returns:
        None: there is no such file.

    Raises:
        SettingsError: not a regular file, too large, not UTF-8, or a line that is none of this. The text names the line
            and never a value.
    """
    shown = printable(os.fspath(path))
    try:
        data = read_regular(os.fspath(path), MAX_BYTES, shown)
    except FileNotFoundError:
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{shown} is not UTF-8") from None
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        try:
            pair = _pair(line.strip())
        except ValueError as error:
            raise SettingsError(f"{shown}, line {number}: {error}") from None
        if pair is not None:
            found[pair[0]] = pair[1]
    return found


def _pair(line: str) -> tuple[str, str] | None:
    if not line or line.startswith("#"):
        return None
    name, equals, value = line.removeprefix("export ").partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name.isascii() or not name.isidentifier():
        raise ValueError("not NAME=value")
    if value[:1] in ("'", '"'):
        value, rest = _quoted(value)
        if rest and not rest.startswith("#"):
            raise ValueError("there is more behind the closing quote")
    else:
        if value.startswith("#"):
            value = ""
        value = value.partition(" #")[0].rstrip()
        if "'" in value or '"' in value:
            raise ValueError("a quote in the middle of a value; put quotes around all of it")
    if "\0" in value:
        raise ValueError("a NUL character")
    return name, value


def _quoted(text: str) -> tuple[str, str]:
    """The value, and what stands behind it."""
    quote = text[0]
    made: list[str] = []
    at = 1
    while at < len(text):
        char = text[at]
        if char == quote:
            return "".join(made), text[at + 1 :].strip()
        if char == "\\" and quote == '"':
            at += 1
            escaped = text[at : at + 1]
            if escaped not in _ESCAPES:
                raise ValueError(f"there is no escape \\{printable(escaped)}")
            char = _ESCAPES[escaped]
        made.append(char)
        at += 1
    raise ValueError("the closing quote is missing")
