"""Small programs that must do on a guest what they do on the native interpreter: where they lie, what they are expected
to give, and how one of them runs on a guest.

A program is a plain file. Lines that begin with ``# --- cell`` or ``// --- cell`` divide it into cells of one session.
Beside it lies NAME.out, recorded from the native interpreter by ``scripts/differential``. Where a guest may differ, its
cause is in ``differences.toml`` and what the guest gives in NAME.guest.out.
"""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wasmhost import JavaScriptRuntime, PythonRuntime
from wasmhost.session.session import Session

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Cell:
    """What one cell gave: the text of each section that it has, by the section's name."""

    stdout: str = ""
    stderr: str = ""
    error: str = ""
    # The value as the REPL shows it; and, where it is of plain types alone, as the embedding program gets it.
    shown: str = ""
    value: str = ""

    def sections(self) -> list[tuple[str, str]]:
        return [(name, getattr(self, name)) for name in ("stdout", "stderr", "error", "shown", "value")]


@dataclass(frozen=True)
class Language:
    name: str
    suffix: str
    comment: str
    runtime: Callable[[], Session]

    @property
    def folder(self) -> Path:
        return HERE / self.name

    def programs(self) -> dict[str, Path]:
        return {path.stem: path for path in sorted(self.folder.glob(f"*{self.suffix}"))}

    def cells(self, path: Path) -> list[str]:
        """The cells, each without the line that divides it from the one before."""
        text = read(path)
        return re.split(rf"^{re.escape(self.comment)} --- cell.*\n", text, flags=re.MULTILINE)

    def on_guest(self, path: Path) -> str:
        """What the program gives on the guest, in a session of its own."""
        with self.runtime() as session:
            told = [guest_cell(self.name, session.run(code)) for code in self.cells(path)]
        # A value is compared where the native interpreter's is of plain types: others cross as something else.
        sections = read(recorded(path)).splitlines()
        for at, cell in enumerate(told):
            if f"=== cell {at + 1}: value" not in sections:
                told[at] = replace(cell, value="")
        return render(told)


LANGUAGES = {
    "python": Language("python", ".py", "#", PythonRuntime),
    "javascript": Language("javascript", ".js", "//", JavaScriptRuntime),
}


def read(path: Path) -> str:
    """With the line ends that are there."""
    return path.read_bytes().decode()


def differences() -> dict[str, dict[str, str]]:
    """The cause of each difference that is allowed, by language and program."""
    return tomllib.loads((HERE / "differences.toml").read_text(encoding="utf-8"))


def recorded(path: Path) -> Path:
    return path.with_suffix(".out")


def wanted(path: Path) -> Path:
    """What the guest has to give."""
    differs = path.with_suffix(".guest.out")
    return differs if differs.exists() else recorded(path)


def render(cells: list[Cell]) -> str:
    """The text of a ``.out`` file: one section after the other, each under a line that names it and its cell."""
    parts = []
    for number, cell in enumerate(cells, 1):
        for name, text in cell.sections():
            if text:
                end = "" if text.endswith("\n") or name in ("error", "shown", "value") else ", without newline"
                parts.append(f"=== cell {number}: {name}{end}\n{text}" + ("" if text.endswith("\n") else "\n"))
    return "".join(parts) or "=== nothing\n"


# ---- what a result says, in the words of the native interpreter ------------------------------------------------------


def guest_cell(language: str, result: Any) -> Cell:
    python = language == "python"
    error = ""
    if not result.ok:
        error = result.error if python else javascript_error(result.error_type, result.error_message)
    value = ""
    if result.has_value and python and repr(result.value) == result.value_text:
        value = result.value_text
    elif result.has_value and not python and plain_json(result.value):
        # Lone surrogates as escapes, as JSON.stringify writes them.
        value = json.dumps(result.value, ensure_ascii=False, separators=(",", ":"))
        value = value.encode("utf-8", "backslashreplace").decode()
    shown = result.value_text if result.has_value else ""
    told = Cell(result.stdout, result.stderr, error, shown, value)
    return comparable(language, told)


def comparable(language: str, told: Cell) -> Cell:
    """Without what differs from one installation or engine to the next."""
    return python_cell(told) if language == "python" else without_stacks(told)


def python_cell(told: Cell) -> Cell:
    return replace(told, stderr=python_error(told.stderr), error=python_error(told.error))


def without_stacks(told: Cell) -> Cell:
    """Errors of JavaScript without their frames: columns are each engine's own."""
    frames = r"\n +(at .*|\.\.\. \d+ lines matching cause stack trace \.\.\.)"
    cut = {name: re.sub(frames, "", text) for name, text in told.sections() if name not in ("error", "value")}
    return replace(told, **cut)


def python_error(text: str) -> str:
    """Without the frames of the standard library: their files, and the lines in them, belong to an installation; and
    without the names of such files, and addresses."""
    kept = []
    dropping = False
    for line in text.splitlines(True):
        place = re.match(r'([ |+-]*)File "([^"]*)"', line)
        if place:
            dropping = not place[2].startswith("<cell ")
            depth = len(place[1])
        elif dropping:
            dropping = len(line) - len(line.lstrip(" |+-")) > depth
        if not dropping:
            kept.append(line)
    text = re.sub(r" \((?:/[^)]*|unknown location)\)", " (its file)", "".join(kept))
    return re.sub(r" at 0x[0-9a-f]+>", " at 0x...>", text)


# Whose messages each engine words in its own way.
ENGINE_ERRORS = ("TypeError", "ReferenceError", "SyntaxError", "RangeError", "URIError", "AggregateError")


def javascript_error(kind: str | None, message: str | None) -> str:
    return str(kind) if kind in ENGINE_ERRORS or not message else f"{kind}: {message}"


def plain_json(value: object) -> bool:
    if type(value) is list:
        return all(map(plain_json, value))
    if type(value) is dict:
        return all(type(key) is str and plain_json(item) for key, item in value.items())
    return value is None or type(value) in (bool, int, str) or (type(value) is float and 1e-4 < abs(value) < 1e15)
