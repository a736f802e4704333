"""What a person is asked, and how it is shown: complete or visibly cut, and nothing in it can pass for our own
words."""

from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from .policy import Allow, Decision, Deny, Suspend, canonical

_SHOWN_CHARS = 2_000


class ApprovalRequest:
    """A call that somebody has to decide about.

    ``call_id``, ``name``, ``description`` of the capability, ``input`` (validated arguments by name), ``reason`` why it
    is asked, and ``session`` (the label of the session, if it has one).
    """

    __slots__ = ("bound_to", "call_id", "description", "input", "name", "reason", "session")

    def __init__(
        self, call_id: str, name: str, description: str, input: Mapping[str, Any], reason: str, session: str
    ) -> None:
        self.call_id: str = call_id
        self.name: str = name
        self.description: str = description
        self.input: Mapping[str, Any] = input
        self.reason: str = reason
        self.session: str = session
        # The digest that it had where it was made: types of arguments are not all kept in a snapshot.
        self.bound_to: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of name and input: what an approval that is given later is bound to."""
        return self.bound_to or digest_of(self.name, self.input)

    def text(self) -> str:
        """For a terminal or a log: one line for each argument, control and bidi characters escaped; an argument that is
        cut says so, with the SHA-256 of the whole."""
        lines = [f"call {printable(self.call_id)} of {printable(self.name)}"]
        lines += [f"  {printable(str(name))} = {_shown(value)}" for name, value in self.input.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"ApprovalRequest({self.call_id!r}, {self.name!r})"


Approver = Callable[[ApprovalRequest], "Decision | Suspend | bool | Awaitable[Decision | Suspend | bool]"]


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


def digest_of(name: str, arguments: Mapping[str, Any]) -> str:
    """SHA-256 of a capability's name and its final input."""
    return sha256(f"{name}\0{canonical(arguments)}".encode("utf-8", "surrogatepass")).hexdigest()


def read_approval(answer: Any) -> "Allow | Deny | Suspend":
    """An approver's answer. Whatever is neither yes nor no, nor that there is no answer yet, is no."""
    if answer is True:
        return Allow()
    if isinstance(answer, (Allow, Deny, Suspend)):
        return answer
    if answer is False or answer is None:
        return Deny("a person said no" if answer is False else "the approver gave no answer")
    return Deny(f"the approver answered {type(answer).__name__}, which is neither Allow nor Deny")
