"""The fenced blocks of a document, and what running them says."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.child import ROOT, environment

TIMEOUT = 100
_MARK = "\x1eend of block "


@dataclass(frozen=True)
class Block:
    language: str
    line: int
    text: str


def blocks(path: Path) -> list[Block]:
    """All fenced blocks, in order; ``line`` is that of their first line of text."""
    found: list[Block] = []
    language: str | None = None
    start = 0
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if language is None:
            language, start = line[3:].strip(), number + 1
        else:
            found.append(Block(language, start + 1, "\n".join(lines[start:number]) + "\n"))
            language = None
    assert language is None, f"{path.name}:{start}: a block that does not end"
    return found


@dataclass(frozen=True)
class Told:
    """What a Python block printed, and the text block after it, which says what it prints."""

    line: int
    printed: str
    expected: str | None


def run_python_blocks(path: Path) -> list[Told]:
    """Runs the Python blocks of a document in their order, in one process and one namespace; a block that raises
    fails the test with its line in the document."""
    found = blocks(path)
    python = [(index, block) for index, block in enumerate(found) if block.language == "python"]
    program = [f"space = {{'__name__': '__main__'}}\nname = {str(path)!r}\n"]
    for _, block in python:
        text = "\n" * (block.line - 1) + block.text
        program.append(f"exec(compile({text!r}, name, 'exec'), space)\nprint({_MARK!r}, flush=True)\n")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "".join(program)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=environment(),
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    printed = done.stdout.split(f"{_MARK}\n")[:-1]
    assert len(printed) == len(python)
    told = []
    for (index, block), text in zip(python, printed, strict=True):
        after = found[index + 1] if index + 1 < len(found) else None
        told.append(Told(block.line, text, after.text if after is not None and after.language == "text" else None))
    return told
