"""Reads and rewrites WebAssembly modules, as far as making an image of a guest needs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

MAGIC = b"\0asm\1\0\0\0"
PAGE = 65536
# Memory is written back in runs of pages that are not all zero. Runs that are closer than GAP pages are joined: each
# data segment costs some time when the module is compiled, a page of zeros costs nothing at run time.
GRAIN = 4096
GAP = 1

CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT = range(13)
# In which order the sections of a module come.
ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, DATA_COUNT, CODE, DATA)
FUNC_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = range(4)
I32 = 0x7F


class WasmError(ValueError):
    pass


@dataclass(frozen=True)
class Import:
    module: str
    name: str
    kind: int


@dataclass(frozen=True)
class Global:
    index: int
    type: int
    mutable: bool


@dataclass
class Module:
    """What the rewriting needs to know of a module."""

    sections: list[tuple[int, bytes]]
    imports: list[Import] = field(default_factory=list)
    globals: list[Global] = field(default_factory=list)  # defined here, not imported
    exports: dict[str, tuple[int, int]] = field(default_factory=dict)  # name: (kind, index)


class Reader:
    """Reads the numbers and names of a section."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def skip(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        return self.skip(self.uleb()).decode()

    def limits(self) -> tuple[int, int, int | None]:
        flags = self.byte()
        low = self.uleb()
        return flags, low, self.uleb() if flags & 1 else None

    def expression(self) -> None:
        """Passes over a constant expression."""
        while True:
            code = self.byte()
            if code == 0x0B:
                return
            if code in (0x41, 0x42):  # i32.const, i64.const
                while self.byte() & 0x80:
                    pass
            elif code == 0x43:
                self.skip(4)
            elif code == 0x44:
                self.skip(8)
            elif code in (0x23, 0xD0, 0xD2):  # global.get, ref.null, ref.func
                self.uleb()
            else:
                raise WasmError(f"unknown opcode {code:#x} in a constant expression")


def uleb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def sleb(value: int) -> bytes:
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        if (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def i32_const(value: int) -> bytes:
    return b"\x41" + sleb(value - (1 << 32) if value >= 1 << 31 else value) + b"\x0b"


def parse(data: bytes) -> Module:
    if data[:8] != MAGIC:
        raise WasmError("not a WebAssembly module")
    reader = Reader(data)
    reader.at = 8
    module = Module([])
    while reader.at < len(data):
        kind = reader.byte()
        module.sections.append((kind, reader.skip(reader.uleb())))
    imported_globals = 0
    for kind, body in module.sections:
        reader = Reader(body)
        if kind == IMPORT:
            for _ in range(reader.uleb()):
                where, name, what = reader.name(), reader.name(), reader.byte()
                module.imports.append(Import(where, name, what))
                if what == FUNC_KIND:
                    reader.uleb()
                elif what == GLOBAL_KIND:
                    imported_globals += 1
                    reader.skip(2)
                else:
                    if what == TABLE_KIND:
                        reader.byte()
                    reader.limits()
        elif kind == GLOBAL:
            for index in range(reader.uleb()):
                value_type, mutable = reader.byte(), reader.byte() == 1
                reader.expression()
                module.globals.append(Global(imported_globals + index, value_type, mutable))
        elif kind == EXPORT:
            for _ in range(reader.uleb()):
                name, what = reader.name(), reader.byte()
                module.exports[name] = (what, reader.uleb())
    return module


def memory_runs(memory: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of the parts of memory that are worth keeping."""
    zero = bytes(GRAIN)
    start = end = -1
    for at in range(0, len(memory), GRAIN):
        if memory[at : at + GRAIN] == zero:
            continue
        if start >= 0 and at - end > GAP * GRAIN:
            yield start, end
            start = -1
        if start < 0:
            start = at
        end = at + GRAIN
    if start >= 0:
        yield start, end


def with_state(module: Module, memory: bytes, values: Mapping[int, int], drop: Iterable[str]) -> bytes:
    """The module as it is after `memory` and the mutable globals (`values`, by index) came about.

    Start function, custom sections and the exports named in `drop` are left out. Tables are taken to be unchanged, and
    the module to use no passive segments: true of what clang makes of C.
    """
    if len(memory) % PAGE:
        raise WasmError("memory is not whole pages")
    for known in module.globals:
        if known.mutable and (known.index not in values or known.type != I32):
            raise WasmError(f"mutable global {known.index} is not an i32 whose value is known")
    runs = list(memory_runs(memory))
    dropped = set(drop)
    out = bytearray(MAGIC)
    for kind, body in module.sections:
        if kind in (CUSTOM, START):
            continue
        if kind == MEMORY:
            body = _memory(body, len(memory) // PAGE)
        elif kind == GLOBAL:
            body = _globals(body, module.globals, values)
        elif kind == EXPORT:
            kept = {name: place for name, place in module.exports.items() if name not in dropped}
            body = uleb(len(kept)) + b"".join(
                uleb(len(name.encode())) + name.encode() + bytes([what]) + uleb(index)
                for name, (what, index) in kept.items()
            )
        elif kind == DATA_COUNT:
            body = uleb(len(runs))
        elif kind == DATA:
            _check_active(body)
            body = uleb(len(runs)) + b"".join(
                b"\0" + i32_const(start) + uleb(end - start) + memory[start:end] for start, end in runs
            )
        out += bytes([kind]) + uleb(len(body)) + body
    return bytes(out)


def _memory(body: bytes, pages: int) -> bytes:
    reader = Reader(body)
    if reader.uleb() != 1:
        raise WasmError("not exactly one memory")
    flags, low, high = reader.limits()
    if low > pages or (high is not None and high < pages):
        raise WasmError("memory does not fit its own limits")
    return b"\1" + bytes([flags]) + uleb(pages) + (uleb(high) if high is not None else b"")


def _globals(body: bytes, known: list[Global], values: Mapping[int, int]) -> bytes:
    reader = Reader(body)
    out = bytearray(uleb(reader.uleb()))
    for item in known:
        start = reader.at
        head = reader.skip(2)
        reader.expression()
        out += head + i32_const(values[item.index]) if item.mutable else body[start : reader.at]
    return bytes(out)


def _check_active(body: bytes) -> None:
    reader = Reader(body)
    for _ in range(reader.uleb()):
        if reader.uleb() != 0:
            raise WasmError("a data segment is not plainly active")
        reader.expression()
        reader.skip(reader.uleb())
