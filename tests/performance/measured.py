"""What the host's way and the guests cost in counts that no load of the machine changes. Prints them as JSON.

Run in a process of its own, so that nothing that other tests have loaded is counted.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.conformance.test_fuel import JAVASCRIPT, PYTHON
from tests.support.guests import GUESTS, Guest
from wasmhost import Limits, capability
from wasmhost.sandbox import image as images
from wasmhost.sandbox import imports, instance
from wasmhost.sandbox.engine import engine
from wasmhost.session.session import Session

# Under a tracer everything is slow; time is not what this is about.
LIMITS = Limits(script_ms=600_000)
PAGE = 4096
# The least of several: a host function looks at the limits when time has passed.
TIMES = 7
LOOPS = {"python": "for i in range({}): tools.{}", "javascript": "for (let i = 0; i < {}; i++) await tools.{}"}
ARGUMENTS = {
    "python": {"scalar": "(i=i)", "nested": "(rows=[{'id': i, 'tags': ['a', 'b']}], flag=True)"},
    "javascript": {"scalar": "({ i })", "nested": "({ rows: [{ id: i, tags: ['a', 'b'] }], flag: true })"},
}


@capability(inline=True)
def scalar(i: int) -> int:
    return i


@capability(inline=True)
def nested(rows: list[dict[str, Any]], flag: bool) -> list[dict[str, Any]]:
    return rows


class _Counter:
    """Counts what this thread executes of Python, by the tracing of opcodes, and its ways over the boundary."""

    def __init__(self) -> None:
        self.opcodes: int = 0
        self.crossings: int = 0

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Any:
        code = frame.f_code
        if event == "call":
            # These come when time has passed, and not for a reason of the cell.
            if code in (instance.Instance.take_stock.__code__, instance.Instance.keep_time.__code__):
                return None
            host_function = code.co_filename == imports.__file__ and code.co_name == "call"
            if host_function or code is instance.Instance._call.__code__:
                self.crossings += 1
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        elif event == "opcode":
            self.opcodes += 1
        return self

    @classmethod
    def of(cls, action: Callable[[], object]) -> tuple[int, int]:
        """Opcodes and crossings; the least of several times."""
        found = []
        for _ in range(TIMES):
            counter = cls()
            gc.collect()
            gc.disable()
            sys.settrace(counter)
            try:
                action()
            finally:
                sys.settrace(None)
                gc.enable()
            found.append((counter.opcodes, counter.crossings))
        return min(found)[0], min(crossings for _, crossings in found)


def _checked(session: Session, code: str) -> None:
    result = session.run(code)
    assert result.ok, result.error


def _host_path(guest: Guest) -> dict[str, int]:
    """Opcodes of the host and crossings, of a new sandbox, of a cell in a session, and of each call."""
    made = {}
    name = guest.name

    def new() -> None:
        session = guest.runtime(limits=LIMITS)
        session.run("1 + 1")
        session.close()

    new()
    opcodes, crossings = _Counter.of(new)
    made[f"opcodes, {name}, new sandbox"] = opcodes
    made[f"crossings, {name}, new sandbox"] = crossings
    with guest.runtime(limits=LIMITS) as session:
        _checked(session, "1 + 1")
        opcodes, crossings = _Counter.of(lambda: session.run("1 + 1"))
        made[f"opcodes, {name}, cell"] = opcodes
        made[f"crossings, {name}, cell"] = crossings
    with guest.runtime(capabilities=[scalar, nested], policy="allow", limits=LIMITS) as session:
        for tool, arguments in ARGUMENTS[name].items():
            counts = []
            for calls in (10, 30):
                code = LOOPS[name].format(calls, tool + arguments)
                _checked(session, code)
                counts.append(_Counter.of(lambda code=code: _checked(session, code)))  # type: ignore[misc]
            (few, few_crossings), (many, many_crossings) = counts
            made[f"opcodes, {name}, inline call, {tool}"] = round((many - few) / 20)
            made[f"crossings, {name}, inline call, {tool}"] = round((many_crossings - few_crossings) / 20)
    return made


def _pages(guest: Guest) -> dict[str, int]:
    """Pages of a guest's memory that are its own after the first cells."""
    made = {}
    with guest.runtime(limits=LIMITS) as session:
        for title, code in (("first cell", "1 + 1"), ("second cell", guest.assign("kept", "'text'"))):
            _checked(session, code)
            assert session._instance is not None
            checkpoint = session._instance.checkpoint()
            made[f"pages, {guest.name}, {title}"] = sum(len(data) for _, data in checkpoint.pages) // PAGE
    return made


def _fuel(guest: Guest) -> dict[str, int]:
    """Thousands, so that what a version of the C library does more or less is not told as a difference."""
    made = {}
    with guest.runtime(limits=LIMITS) as session:
        for name, code in guest.pick(python=PYTHON, javascript=JAVASCRIPT).items():
            made[f"fuel in thousands, {guest.name}, {name}"] = round(session.run(code).fuel / 1000)
    return made


def modules(language: str) -> list[str]:
    """What `wasmhost run` imports beside what a bare interpreter does."""
    command = os.path.join(os.path.dirname(sys.executable), "wasmhost")
    words = [sys.executable, "-X", "importtime"]
    bare = subprocess.run([*words, "-c", "pass"], capture_output=True, text=True, check=True)
    ours = subprocess.run([*words, command, "run", "-l", language, "-c", "1 + 1"], capture_output=True, text=True)
    assert ours.returncode == 0, ours.stderr[-2000:]
    before, after = (
        {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
        for done in (bare, ours)
    )
    return sorted(after - before)


def functions_of_image(name: str) -> int:
    """How many functions an image has: which of its two ways of being linked it comes from."""
    with open(os.path.join(images.images_folder(), f"{name}.wasm"), "rb") as file:
        data = file.read()
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = _leb(data, at + 1)
        if kind == 3:
            return _leb(data, at)[0]
        at += size
    raise ValueError(f"{name}.wasm has no functions")


def _leb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def measure() -> dict[str, dict[str, int]]:
    """``host``: what the host's code and its Python decide; ``guests``: what the images do."""
    engine()
    host: dict[str, int] = {}
    guests: dict[str, int] = {}
    for name, guest in sorted(GUESTS.items()):
        host[f"modules, wasmhost run, {name}"] = len(modules(name))
        for key, value in _host_path(guest).items():
            (host if key.startswith("opcodes") else guests)[key] = value
        guests |= _pages(guest) | _fuel(guest)
    return {"host": host, "guests": guests, "image": {"functions": functions_of_image("python")}}


if __name__ == "__main__":
    print(json.dumps(measure()))
