"""What a model has written, and which of it is the cell: models put fences, prose and thoughts around code, whatever
they are told."""

from typing import TYPE_CHECKING

from ..protocol.json_text import clean

if TYPE_CHECKING:
    from collections.abc import Callable

# How a turn goes back into the conversation; the system prompt explains it.
EXECUTED, RESULT = "[Code Action executed]", "[RuntimeResult]"
_THINK, _THOUGHT = "<think>", "</think>"
_LONGEST_FENCE = 80

_INFO = {
    "python": ("python", "py", "python3"),
    "javascript": ("javascript", "js", "mjs"),
    "typescript": ("typescript", "ts", "javascript", "js"),
}


class _Block:
    """Lines between two fences."""

    def __init__(self, info: str) -> None:
        self.info: str = info
        self.lines: list[str] = []


def code_of(reply: str, language: str) -> tuple[str, list[str]]:
    """The cell that a reply is, and what was left out of it, as a line for each.

    The outermost fences are stripped. Of several fenced blocks it is the first in the language, since a second one is
    often what the model thinks will come out.
    """
    text = clean(reply).replace("\r\n", "\n").strip("\n")
    notes = []
    if text.lstrip().startswith(_THINK):
        _, _, text = text.partition(_THOUGHT)
        notes.append("the thoughts before the code are not run")
    if text.lstrip().startswith(EXECUTED):
        # Some models go on with the form in which they see earlier turns.
        text = text.lstrip().removeprefix(EXECUTED).partition(f"\n{RESULT}")[0]
        notes.append("the model has written down a result itself; it is left out")
    blocks, prose = _blocks(text.split("\n"))
    if prose:
        # A closing fence whose opening one is missing.
        blocks = [one for one in blocks if any(one.lines)]
    if not blocks:
        text = "\n".join(line for line in text.split("\n") if not fence_of(line)[0])
        return text.strip("\n"), notes
    known = _INFO[language]
    chosen = next((one for one in blocks if one.info in known), None)
    chosen = chosen or next((one for one in blocks if not one.info), blocks[0])
    if len(blocks) > 1:
        notes.append(f"one of {len(blocks)} fenced blocks is run")
    elif prose:
        notes.append("only what stands between the fences is run")
    return "\n".join(chosen.lines).strip("\n"), notes


def _blocks(lines: list[str]) -> tuple[list[_Block], bool]:
    """Outermost fenced blocks, and whether there is text outside of them. A fence with a language inside a block begins
    an inner one: code may hold Markdown."""
    blocks: list[_Block] = []
    prose = False
    marks: list[str] = []
    for line in lines:
        mark, info = fence_of(line)
        if not marks:
            if mark:
                marks.append(mark)
                blocks.append(_Block(info))
            else:
                prose = prose or bool(line.strip())
            continue
        if mark and not info and mark.startswith(marks[-1]):
            marks.pop()
            if not marks:
                continue
        elif mark and info:
            marks.append(mark)
        blocks[-1].lines.append(line)
    return blocks, prose


def fence_of(line: str) -> tuple[str, str]:
    """The characters of a Markdown fence and its language; empty: the line is none."""
    text = line.strip()
    char = text[:1]
    if char not in ("`", "~") or not text.startswith(char * 3):
        return "", ""
    info = text.lstrip(char)
    mark = text[: len(text) - len(info)]
    if char in info or len(info) > 40:
        return "", ""
    return mark, info.strip().partition(" ")[0].lower()


class Unfenced:
    """Passes on a reply as it comes, without the fences around it.

    Args:
        write: given text.
    """

    def __init__(self, write: "Callable[[str], object]") -> None:
        self._write = write
        # Of a line that may yet become a fence: the others pass at once.
        self._line = ""
        self._passes = False
        # A fence that is the last of all, unless more comes.
        self._held = ""
        self._begun = False
        self._fenced = False

    def feed(self, text: str) -> None:
        """The next piece, of any length."""
        first, *rest = text.split("\n")
        self._piece(first)
        for line in rest:
            self._end_line("\n")
            self._piece(line)

    def end(self) -> None:
        """The reply has ended."""
        self._end_line("")

    def _piece(self, text: str) -> None:
        if not self._passes:
            self._line += text
            start = self._line.lstrip()[:1]
            if (not start or start in "`~") and len(self._line) < _LONGEST_FENCE:
                return
            text, self._line = self._line, ""
            self._passes = self._begun = True
        self._show(text)

    def _end_line(self, end: str) -> None:
        line, self._line = self._line, ""
        if self._passes:
            self._passes = False
            self._show(end)
            return
        mark, info = fence_of(line)
        if not self._begun and (mark or not line.strip()):
            self._begun = self._fenced = bool(mark)
        elif (mark and not info and self._fenced) or (self._held and not line.strip()):
            self._held += line + end
        else:
            self._begun = True
            self._show(line + end)

    def _show(self, text: str) -> None:
        if text:
            text, self._held = self._held + text, ""
            self._write(text)
