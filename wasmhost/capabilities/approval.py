"""What a person is asked, and how it is shown: complete or visibly cut, and nothing in it can pass for our own
words."""

from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from .policy import Allow, Decision, Deny, canonical

_SHOWN_CHARS = 2_000


class ApprovalRequest:
    """A call that somebody has to decide about.

    ``call_id``, ``name``, ``description`` of the capability, ``input`` (validated arguments by name), ``reason`` why it
    is asked, and ``session`` (the label of the session, if it has one).
    """

    __slots__ = ("call_id", "description", "input", "name", "reason", "session")

    def __init__(
        self, call_id: str, name: str, description: str, input: Mapping[str, Any], reason: str, session: str
    ) -> None:
        self.call_id: str = call_id
        self.name: str = name
        self.description: str = description
        self.input: Mapping[str, Any] = input
        self.reason: str = reason
        self.session: str = session

    def text(self) -> str:
        """For a terminal or a log: one line for each argument, control and bidi characters escaped; an argument that is
        cut says so, with the SHA-256 of the whole."""
        lines = [f"call {printable(self.call_id)} of {printable(self.name)}"]
        lines += [f"  {printable(str(name))} = {_shown(value)}" for name, value in self.input.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"ApprovalRequest({self.call_id!r}, {self.name!r})"


Approver = Callable[[ApprovalRequest], "Decision | bool | Awaitable[Decision | bool]"]


def _shown(value: Any) -> str:
    whole = canonical(value) if not isinstance(value, str) else value
    text = printable(repr(value) if not isinstance(value, int) or value.bit_length() < 4_000 else f"{value:#x}")
    if len(text) <= _SHOWN_CHARS:
        return text
    digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:_SHOWN_CHARS]} [cut here: {len(text)} characters in all, SHA-256 {digest}]"


def printable(text: str) -> str:
    """Text in which every character that does not show as itself is escaped: control, format and bidi characters, line
    ends, lone surrogates, odd spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable()
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
        if ord(char) < 65536
        else f"\\U{ord(char):08x}"
        for char in text
    )


def read_approval(answer: Any) -> "Allow | Deny":
    """An approver's answer. Whatever is neither yes nor no is no."""
    if answer is True:
        return Allow()
    if isinstance(answer, (Allow, Deny)):
        return answer
    if answer is False or answer is None:
        return Deny("a person said no" if answer is False else "the approver gave no answer")
    return Deny(f"the approver answered {type(answer).__name__}, which is neither Allow nor Deny")
