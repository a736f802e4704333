"""What a person is asked, and how it is shown: complete or visibly cut, and nothing in it can pass for our own
words."""

from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from .policy import Allow, Decision, Deny, Suspend, canonical

_SHOWN_CHARS = 2_000
_SHOWN_ARGUMENTS = 50
# Characters that are letters or marks by Unicode's word, and that nobody sees.
_UNSEEN = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


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
        named = list(self.input.items())
        lines += [f"  {_name(name)} = {_shown(value)}" for name, value in named[:_SHOWN_ARGUMENTS]]
        if len(named) > _SHOWN_ARGUMENTS:
            lines.append(f"  [cut here: {len(named)} arguments in all, SHA-256 {_digest(canonical(self.input))}]")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"ApprovalRequest({self.call_id!r}, {self.name!r})"


Approver = Callable[[ApprovalRequest], "Decision | Suspend | bool | Awaitable[Decision | Suspend | bool]"]


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # such as of a list with an integer of more digits than Python writes
        text = canonical(value)
    text = printable(text)
    if len(text) <= _SHOWN_CHARS:
        return text
    digest = _digest(value if isinstance(value, str) else canonical(value))
    return f"{text[:_SHOWN_CHARS]} [cut here: {len(text)} characters in all, SHA-256 {digest}]"


def _name(name: str) -> str:
    """An argument's name; one that is no plain word, which a guest may give where any name is taken, in quotes."""
    text = name if name.isidentifier() else repr(name)
    return printable(text if len(text) <= 200 else f"{text[:200]}[cut here: {len(text)} characters in all]")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def printable(text: str) -> str:
    """Text in which every character that does not show as itself is escaped: control, format and bidi characters, line
    ends, lone surrogates, odd spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() and char not in _UNSEEN
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
        if ord(char) < 65536
        else f"\\U{ord(char):08x}"
        for char in text
    )


def digest_of(name: str, arguments: Mapping[str, Any]) -> str:
    """SHA-256 of a capability's name and its final input."""
    return _digest(f"{name}\0{canonical(arguments)}")


def read_approval(answer: Any) -> "Allow | Deny | Suspend":
    """An approver's answer. Whatever is neither yes nor no, nor that there is no answer yet, is no."""
    if answer is True:
        return Allow()
    if isinstance(answer, (Allow, Deny, Suspend)):
        return answer
    if answer is False or answer is None:
        return Deny("a person said no" if answer is False else "the approver gave no answer")
    return Deny(f"the approver answered {type(answer).__name__}, which is neither Allow nor Deny")
