"""A guest that does what it is told: every import with any argument, any frame, any trap. In WAT, with the same ABI.

Its source text is a :class:`Script` in hexadecimal. So a test says what the guest does, and the host is the real one.
"""

import importlib
import json
import os
import struct
import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from tests.support.fixed_source import FixedSource
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import Image
from wasmhost.sandbox.instance import Frame, Instance
from wasmhost.sandbox.meter import UNLIMITED_FUEL, Meter
from wasmhost.session.session import Session

BUILD = Path(__file__).resolve().parent.parent.parent / "guest-runtimes" / "build"

PAGE = 65536
PAGES = 4
MEMORY = PAGES * PAGE

IN_BUF, IN_CAP = 1024, 16384
OUT_LEN = (20480, 20484)
STOP_WORD = 20488
OUT_BUF, OUT_CAP = (20992, 21504), 512
FRAME = 24576
HEAD = 24640
LOG = 57344
RESUME_PROGRAM = 61440
PROGRAM = PAGE
HEAP = 2 * PAGE

IMPORTS = """
  (import "wasmhost" "write" (func $write (param i32 i32 i32)))
  (import "wasmhost" "clock" (func $clock (param i32) (result i64)))
  (import "wasmhost" "random" (func $random (param i32 i32)))
  (import "wasmhost" "sleep" (func $sleep (param i64) (result i32)))
  (import "wasmhost" "exit" (func $exit (param i32)))
  (import "wasmhost" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasmhost" "take" (func $take (param i32 i32)))
"""

_OPERATIONS = {
    "write": "(call $write (local.get $a) (local.get $b) (local.get $c))",
    "clock": "(call $note (call $clock (local.get $a)))",
    "random": "(call $random (local.get $a) (local.get $b))",
    "sleep": "(call $note (i64.extend_i32_u (call $sleep (local.get $wide))))",
    "exit": "(call $exit (local.get $a))",
    "call": """(call $note (i64.extend_i32_s
                 (call $call (local.get $a) (local.get $b) (local.get $c) (local.get $d) (local.get $e))))""",
    "take": "(call $take (local.get $a) (local.get $b))",
    "give": "(return (local.get $a))",
    "trap": "(unreachable)",
    "spin": "(loop $again (br $again))",
    "recurse": "(drop (call $deep (i32.const 1)))",
    # At each level with the program of `on_resume`.
    "recurse_calling": "(drop (call $deep_calling (i32.const 1)))",
    "grow": "(call $note (i64.extend_i32_s (memory.grow (local.get $a))))",
    "store": "(i32.store (local.get $a) (local.get $b))",
    # Bytes that follow the record.
    "bytes": """(memory.copy (local.get $a) (i32.add (local.get $pc) (i32.const 48)) (local.get $b))
                (local.set $b (i32.and (i32.add (local.get $b) (i32.const 7)) (i32.const -8)))
                (local.set $pc (i32.add (local.get $pc) (local.get $b)))""",
    # What was noted so far.
    "forget": f"(global.set $log (i32.const {LOG}))",
    "alloc_gives": "(global.set $allocated (local.get $a)) (global.set $alloc_mode (local.get $b))",
    "free_mode": "(global.set $free_mode (local.get $a))",
    # Loops until the host's stop word is set.
    "wait_for_stop": f"(loop $again (br_if $again (i32.eqz (i32.load (i32.const {STOP_WORD})))))",
    "burn": """(local.set $b (local.get $a))
               (loop $again (br_if $again (local.tee $b (i32.sub (local.get $b) (i32.const 1)))))""",
}
_NUMBERS = {name: number for number, name in enumerate(_OPERATIONS)}


def module(
    *,
    imports: str = IMPORTS,
    pages: int = PAGES,
    more: str = "",
    exports: str = """
  (export "memory" (memory 0)) (export "__stack_pointer" (global 0))
  (export "wh_alloc" (func $wh_alloc)) (export "wh_free" (func $wh_free))
  (export "wh_start" (func $wh_start)) (export "wh_resume" (func $wh_resume))""",
) -> str:
    cases = "\n".join(
        f"(if (i32.eq (local.get $op) (i32.const {number})) (then {_OPERATIONS[name]}))"
        for name, number in _NUMBERS.items()
    )
    return f"""(module {imports}
  (memory {pages})
  (global $sp (mut i32) (i32.const 512))
  (global $log (mut i32) (i32.const {LOG}))
  (global $heap (mut i32) (i32.const {HEAP}))
  (global $allocated (mut i32) (i32.const 0))
  (global $alloc_mode (mut i32) (i32.const 0))
  (global $free_mode (mut i32) (i32.const 0))
  (func $note (param $value i64)
    (i64.store (global.get $log) (local.get $value))
    (global.set $log (i32.add (global.get $log) (i32.const 8))))
  (func $deep (param $n i32) (result i32)
    (i32.add (local.get $n) (call $deep (i32.add (local.get $n) (i32.const 1)))))
  (func $deep_calling (param $n i32) (result i32)
    (drop (call $run (i32.const {RESUME_PROGRAM})))
    (i32.add (local.get $n) (call $deep_calling (i32.add (local.get $n) (i32.const 1)))))
  (func $run (param $pc i32) (result i32)
    (local $op i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $e i32) (local $wide i64)
    (loop $next
      (local.set $op (i32.load (local.get $pc)))
      (local.set $wide (i64.load offset=8 (local.get $pc)))
      (local.set $a (i32.load offset=8 (local.get $pc)))
      (local.set $b (i32.load offset=16 (local.get $pc)))
      (local.set $c (i32.load offset=24 (local.get $pc)))
      (local.set $d (i32.load offset=32 (local.get $pc)))
      (local.set $e (i32.load offset=40 (local.get $pc)))
      {cases}
      (local.set $pc (i32.add (local.get $pc) (i32.const 48)))
      (br $next))
    (unreachable))
  (func $digit (param $c i32) (result i32)
    (i32.sub (local.get $c)
      (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $c) (i32.const 58)))))
  (func $wh_alloc (param $n i32) (result i32)
    (local $at i32)
    (if (i32.eq (global.get $alloc_mode) (i32.const 1)) (then (return (global.get $allocated))))
    (if (i32.eq (global.get $alloc_mode) (i32.const 2)) (then (loop $again (br $again))))
    (if (i32.eq (global.get $alloc_mode) (i32.const 3)) (then (unreachable)))
    (if (i32.eq (global.get $alloc_mode) (i32.const 4)) (then (return (call $run (i32.const {RESUME_PROGRAM})))))
    (local.set $at (global.get $heap))
    (global.set $heap (i32.add (local.get $at) (local.get $n)))
    (local.get $at))
  (func $wh_free (param $p i32)
    (global.set $heap (local.get $p))
    (if (i32.eq (global.get $free_mode) (i32.const 2)) (then (loop $again (br $again))))
    (if (i32.eq (global.get $free_mode) (i32.const 3)) (then (unreachable)))
    (if (i32.eq (global.get $free_mode) (i32.const 4)) (then (drop (call $run (i32.const {RESUME_PROGRAM}))))))
  (func $wh_start (param $in i32) (param $n i32) (result i32)
    (local $from i32) (local $to i32) (local $end i32)
    (i32.store (i32.const {STOP_WORD}) (i32.const 0))
    (global.set $log (i32.const {LOG}))
    (local.set $end (i32.add (local.get $in) (local.get $n)))
    (local.set $from (i32.add (local.get $in) (i32.const 60)))
    (local.set $to (i32.const {PROGRAM}))
    (block $done (loop $again
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (i32.store8 (local.get $to) (i32.add
        (i32.shl (call $digit (i32.load8_u (local.get $from))) (i32.const 4))
        (call $digit (i32.load8_u offset=1 (local.get $from)))))
      (local.set $from (i32.add (local.get $from) (i32.const 2)))
      (local.set $to (i32.add (local.get $to) (i32.const 1)))
      (br $again)))
    (call $run (i32.const {PROGRAM})))
  (func $wh_resume (param $in i32) (param $n i32) (result i32)
    (i32.store (i32.const {STOP_WORD}) (i32.const 0))
    (call $run (i32.const {RESUME_PROGRAM})))
  {more} {exports})"""


def metered(wasm: bytes) -> bytes:
    # The build's modules are imported as the build itself imports them: from their folder.
    if str(BUILD) not in sys.path:
        sys.path.append(str(BUILD))
    import meter

    return meter.metered(wasm)


class Script:
    """What the guest does, one operation after the other. Integers of any size are taken: their low bits count."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def do(self, name: str, *arguments: int) -> Self:
        words = [argument & 0xFFFFFFFFFFFFFFFF for argument in arguments] + [0] * (5 - len(arguments))
        self._parts.append(struct.pack("<Q5Q", _NUMBERS[name], *words))
        return self

    def put(self, at: int, data: bytes) -> Self:
        self.do("bytes", at, len(data))
        self._parts.append(data + bytes(-len(data) % 8))
        return self

    def frame(
        self,
        status: int = 0,
        flags: int = 0,
        head: Any = None,
        attachments: tuple[int, int] = (0, 0),
        span: tuple[int, int] | None = None,
        give: bool = True,
    ) -> Self:
        """Gives back a frame with this head (JSON or raw bytes), and number and address of attachments.

        ``span`` stands in for the head's own.
        """
        data = head if isinstance(head, bytes) else json.dumps({} if head is None else head).encode()
        if span is None:
            self.put(HEAD, data)
            span = (HEAD, len(data))
        self.put(FRAME, struct.pack("<6I", status, flags, *(number & 0xFFFFFFFF for number in (*span, *attachments))))
        return self.do("give", FRAME) if give else self

    def failed(self, kind: str = "Error", message: str = "no", text: str = "Error: no", **more: Any) -> Self:
        return self.frame(1, 0, {"e": {"type": kind, "message": message, "text": text, **more}})

    def spans(self, at: int, spans: Iterable[tuple[int, int]]) -> Self:
        return self.put(
            at, b"".join(struct.pack("<2I", start & 0xFFFFFFFF, size & 0xFFFFFFFF) for start, size in spans)
        )

    def waiting(self, timer: int | None = 0, pending: int = 0) -> Self:
        return self.frame(2, 0, {"timer": timer, "pending": pending})

    def on_resume(self, program: "Script") -> Self:
        return self.put(RESUME_PROGRAM, program.program)

    @property
    def program(self) -> bytes:
        return b"".join(self._parts)

    @property
    def text(self) -> str:
        return self.program.hex()


def to_wasm(wat: str) -> bytes:
    """With the meter that the build writes into every guest."""
    compiler: Any = importlib.import_module("wasmtime")
    return metered(bytes(compiler.wat2wasm(wat)))


def info_lines(wasm: bytes, **changed: str | None) -> str:
    """The ``.info`` file of this guest, with some lines changed, or left out where None."""
    values: dict[str, str | None] = {
        "abi": "4",
        "sha256": sha256(wasm).hexdigest(),
        "memory_pages": str(PAGES),
        "stack_pointer": "512",
        "in_buf": str(IN_BUF),
        "in_cap": str(IN_CAP),
        "out_buf0": str(OUT_BUF[0]),
        "out_buf1": str(OUT_BUF[1]),
        "out_len0": str(OUT_LEN[0]),
        "out_len1": str(OUT_LEN[1]),
        "out_cap": str(OUT_CAP),
        "poke": f"0 {STOP_WORD} 1",
    }
    values.update(changed)
    return "".join(f"{key} {value}\n" for key, value in values.items() if value is not None)


def parsed(lines: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in lines.splitlines()}


def place(folder: Path, name: str, wat: str | None = None, **changed: str | None) -> bytes:
    """Writes ``<name>.wasm`` and ``<name>.info`` into a folder of images; gives the wasm."""
    wasm = to_wasm(wat if wat is not None else module())
    (folder / f"{name}.wasm").write_bytes(wasm)
    (folder / f"{name}.info").write_text(info_lines(wasm, **changed))
    return wasm


def image_of(wat: str, **changed: str | None) -> Image:
    the_engine = engine()
    wasm = to_wasm(wat)
    return Image(the_engine, "hostile", parsed(info_lines(wasm, **changed)), the_engine.compile(wasm))


_images: dict[int, Image] = {}


def hostile_image() -> Image:
    """The one of :func:`module`, compiled once."""
    found = _images.get(os.getpid())
    if found is None:
        found = _images[os.getpid()] = image_of(module())
    return found


class Collected:
    """The output of an instance, as bytes."""

    def __init__(self) -> None:
        self.streams: dict[int, bytes] = dict.fromkeys(range(1, 5), b"")

    def write(self, stream: int, data: bytes) -> None:
        self.streams[stream] += data


class Probe:
    """An instance with its output, for tests below the session."""

    def __init__(self, image: Image | None = None, memory_bytes: int = 8 << 20) -> None:
        self.output = Collected()
        self.source = FixedSource(b"seed", lambda which: 1_000 + which)
        self.instance = Instance(image or hostile_image(), self.source, memory_bytes)
        self.begin()

    def begin(self, script_ms: float = 5_000, fuel: int = UNLIMITED_FUEL) -> None:
        from time import perf_counter_ns

        self.source.begin_cell(1)
        self.instance.begin_cell(Meter(perf_counter_ns(), int(script_ms * 1e6), 60_000_000_000, fuel), self.output)

    def start(self, script: Script) -> Frame:
        return self.instance.start(bytes(60), script.text.encode())

    def notes(self, script: Script, count: int) -> list[int]:
        """What the operations of a script gave back, as unsigned 64-bit numbers."""
        self.output.streams[1] = b""
        self.start(script.do("write", 1, LOG, 8 * count).frame())
        return list(struct.unpack(f"<{count}Q", self.output.streams[1]))

    def close(self) -> None:
        self.instance.close()


class HostileRuntime(Session):
    """A session of the hostile guest; its cells are the text of a :class:`Script`. Needs ``hostile_images``."""

    language = "hostile"
    image_name = "hostile"
