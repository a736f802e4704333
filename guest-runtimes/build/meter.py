"""Writes the meter into a guest: fuel, and the places where a running guest can be stopped.

A module gets a counter (the exported global ``meter``, an i64) and the import ``wasmhost.tick``. Code that may run
often takes what it costs from the counter, and calls ``tick`` when that is below zero; the host takes stock there and
fills the counter again, or ends the guest. What is charged follows from the code alone, so equal runs take equal fuel.
See docs/decisions/0050-meter.md for what a unit is and why the engine's own meters are not used.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import wasm
from wasm import Reader, WasmError, sleb, uleb

# An instruction is a unit. What a loop or a function charges is at most this: of a body with many branches, such as the
# loop of an interpreter, a turn takes one path.
MOST = 24
# A run of that many instructions without a branch charges its length where it is.
LONG_RUN = 64
# A function that neither calls nor loops, and is no longer than this, leaves it to its callers.
SHORT = 32

TICK_MODULE, TICK, COUNTER = "wasmhost", "tick", "meter"

I64 = 0x7E
_LOOP, _END, _BR_TABLE, _CALL, _RETURN_CALL, _CALL_INDIRECT, _RETURN_CALL_INDIRECT = (
    0x03,
    0x0B,
    0x0E,
    0x10,
    0x12,
    0x11,
    0x13,
)
_GLOBAL_GET, _GLOBAL_SET, _REF_FUNC, _SELECT_TYPED, _F32_CONST, _F64_CONST = 0x23, 0x24, 0xD2, 0x1C, 0x43, 0x44
_MORE, _VECTOR = 0xFC, 0xFD
_BLOCKS = frozenset((0x02, _LOOP, 0x04))
# unreachable, block, loop, if, else, end, br, br_if, br_table, return, and the calls
_CONTROL = frozenset((0x00, 0x02, 0x03, 0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13))

# How many numbers in LEB128 follow an opcode; the others are told apart below, or are not known.
_NONE = (0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, 0xD1, *range(0x45, 0xC5))
_ONE = (0x02, 0x03, 0x04, 0x0C, 0x0D, _CALL, _RETURN_CALL, *range(0x20, 0x27), 0x3F, 0x40, 0x41, 0x42, 0xD0)
_TWO = (_CALL_INDIRECT, _RETURN_CALL_INDIRECT, *range(0x28, 0x3F))
_NUMBERS = {**dict.fromkeys(_NONE, 0), **dict.fromkeys(_ONE, 1), **dict.fromkeys(_TWO, 2)}
# The same of those that follow 0xFC: conversions, then memory and tables.
_MORE_NUMBERS = {**dict.fromkeys(range(8), 0), 8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}
# These take as long as their last operand says: memory.init, memory.copy, memory.fill, table.init, .copy, .fill
_BULK = frozenset((8, 10, 11, 12, 14, 17))


@dataclass
class _Body:
    """What one function needs; places are offsets into the code section."""

    lengths: list[int]  # instructions outside all loops, then of each loop without those in it
    loops: int = 0
    calls: bool = False
    edits: list[tuple[int, int, str, int]] = field(default_factory=list)  # (from, to, what comes there, number)


def metered(data: bytes) -> bytes:
    """The module with a meter in it.

    Raises:
        WasmError: it has one already, or uses something that cannot be metered.
    """
    module = wasm.parse(data)
    if COUNTER in module.exports or any(item.name == TICK for item in module.imports):
        raise WasmError("the module has a meter already")
    sections = dict(module.sections)
    counter = len(module.globals) + sum(1 for item in module.imports if item.kind == wasm.GLOBAL_KIND)
    tick = sum(1 for item in module.imports if item.kind == wasm.FUNC_KIND)
    types = _types(sections.get(wasm.TYPE, b"\0"))
    functions = _numbers(sections.get(wasm.FUNCTION, b"\0"))
    added = {
        wasm.TYPE: lambda body: _with_one_more(body, b"\x60\0\0"),
        wasm.IMPORT: lambda body: _with_one_more(
            body, _name(TICK_MODULE) + _name(TICK) + bytes([wasm.FUNC_KIND]) + uleb(len(types))
        ),
        wasm.GLOBAL: lambda body: _with_one_more(body, bytes([I64, 1, 0x42, 0, _END])),
        wasm.EXPORT: lambda body: _with_one_more(
            _exports(module, tick), _name(COUNTER) + bytes([wasm.GLOBAL_KIND]) + uleb(counter)
        ),
        wasm.START: lambda body: uleb(_moved(Reader(body).uleb(), tick)),
        wasm.ELEMENT: lambda body: _elements(body, tick),
        wasm.CODE: lambda body: _code(body, [types[index] for index in functions], counter, tick),
    }
    needed = {wasm.TYPE, wasm.IMPORT, wasm.GLOBAL, wasm.EXPORT}
    out = bytearray(wasm.MAGIC)
    place = {kind: at for at, kind in enumerate(wasm.ORDER)}
    listed = [item for item in module.sections if item[0] != wasm.CUSTOM]
    listed += [(kind, b"\0") for kind in needed - sections.keys()]
    for kind, body in sorted(listed, key=lambda item: place[item[0]]):
        body = added[kind](body) if kind in added else body
        out += bytes([kind]) + uleb(len(body)) + body
    return bytes(out)


def _name(text: str) -> bytes:
    return uleb(len(text)) + text.encode()


def _moved(index: int, tick: int) -> int:
    """Functions defined in the module come after the imported ones, of which there is one more now."""
    return index + (index >= tick)


def _with_one_more(body: bytes, entry: bytes) -> bytes:
    reader = Reader(body)
    count = reader.uleb()
    return uleb(count + 1) + body[reader.at :] + entry


def _types(body: bytes) -> list[int]:
    """The number of parameters of each type."""
    reader = Reader(body)
    found = []
    for _ in range(reader.uleb()):
        if reader.byte() != 0x60:
            raise WasmError("a type that is not that of a function")
        found.append(reader.uleb())
        reader.skip(found[-1])
        reader.skip(reader.uleb())
    return found


def _numbers(body: bytes) -> list[int]:
    reader = Reader(body)
    return [reader.uleb() for _ in range(reader.uleb())]


def _exports(module: wasm.Module, tick: int) -> bytes:
    return uleb(len(module.exports)) + b"".join(
        _name(name) + bytes([kind]) + uleb(_moved(index, tick) if kind == wasm.FUNC_KIND else index)
        for name, (kind, index) in module.exports.items()
    )


def _elements(body: bytes, tick: int) -> bytes:
    reader = Reader(body)
    count = reader.uleb()
    out = bytearray(uleb(count))
    for _ in range(count):
        start = reader.at
        flags = reader.uleb()
        if flags > 3:
            raise WasmError("elements that are given by expressions are not supported")
        if flags == 2:
            reader.uleb()
        if not flags & 1:
            reader.expression()
        if flags:
            reader.byte()
        out += body[start : reader.at]
        listed = [_moved(reader.uleb(), tick) for _ in range(reader.uleb())]
        out += uleb(len(listed)) + b"".join(map(uleb, listed))
    return bytes(out)


def _code(body: bytes, parameters: list[int], counter: int, tick: int) -> bytes:
    reader = Reader(body)
    count = reader.uleb()
    out = bytearray(uleb(count))
    for parameter_count in parameters:
        size = reader.uleb()
        end = reader.at + size
        written = _function(body, reader, end, parameter_count, counter, tick)
        out += uleb(len(written)) + written
        reader.at = end
    return bytes(out)


def _function(body: bytes, reader: Reader, end: int, parameters: int, counter: int, tick: int) -> bytes:
    groups = reader.uleb()
    listed = reader.at
    scratch = parameters
    for _ in range(groups):
        scratch += reader.uleb()
        reader.byte()
    start = reader.at
    found = _scan(body, start, end, counter)

    def charge(amount: bytes) -> bytes:
        """Takes what `amount` pushes, and calls `tick` when that was more than there is."""
        get, put = bytes([_GLOBAL_GET]) + uleb(counter), bytes([_GLOBAL_SET]) + uleb(counter)
        local = uleb(scratch)
        less_than_zero = b"\x42\0\x53"
        return b"".join(
            (get, amount, b"\x7d\x22", local, put, b"\x20", local, less_than_zero, b"\x04\x40\x10", uleb(tick), b"\x0b")
        )

    out = bytearray()
    at = start
    if found.calls or found.loops or found.lengths[0] > SHORT:
        out += charge(b"\x42" + sleb(min(found.lengths[0], MOST)))
    for first, last, what, number in found.edits:
        out += body[at:first]
        at = last
        if what == "function":
            out += uleb(_moved(number, tick))
        elif what == "loop":
            out += charge(b"\x42" + sleb(min(found.lengths[number], MOST)))
        elif what == "run":
            out += charge(b"\x42" + sleb(number))
        else:  # the length of a bulk operation lies on the stack
            narrow = uleb(scratch + 1)
            out += b"\x22" + narrow + charge(b"\x20" + narrow + b"\xad")
    out += body[at:end]
    return uleb(groups + 2) + body[listed:start] + bytes([1, I64, 1, wasm.I32]) + bytes(out)


def _number(body: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _after(body: bytes, at: int, count: int) -> int:
    """Where that many numbers in LEB128 end."""
    for _ in range(count):
        while body[at] & 0x80:
            at += 1
        at += 1
    return at


def _scan(body: bytes, at: int, end: int, counter: int) -> _Body:
    found = _Body([0])
    lengths, edits = found.lengths, found.edits
    current = run = 0
    around: list[int] = []
    while at < end:
        start = at
        code = body[at]
        at += 1
        if code in _CONTROL:
            if run >= LONG_RUN:
                edits.append((start, start, "run", run))
            else:
                lengths[current] += run
            run = 0
        run += 1
        numbers = _NUMBERS.get(code)
        if numbers is None:
            at = _other(body, at, code, edits)
        elif code in (_CALL, _RETURN_CALL):
            found.calls = True
            index, at = _number(body, at)
            edits.append((start + 1, at, "function", index))
        elif code in (_GLOBAL_GET, _GLOBAL_SET):
            index, at = _number(body, at)
            if index >= counter:
                raise WasmError(f"global {index} is not there")
        else:
            at = _after(body, at, numbers)
            if code in _BLOCKS:
                around.append(current)
                if code == _LOOP:
                    found.loops += 1
                    current = len(lengths)
                    lengths.append(0)
                    edits.append((at, at, "loop", current))
            elif code == _END and around:
                current = around.pop()
            elif code in (_CALL_INDIRECT, _RETURN_CALL_INDIRECT):
                found.calls = True
    lengths[0] += run
    return found


def _other(body: bytes, at: int, code: int, edits: list[tuple[int, int, str, int]]) -> int:
    """The end of an instruction whose operands are not all numbers; notes it where it has to be changed."""
    if code == _BR_TABLE:
        count, at = _number(body, at)
        return _after(body, at, count + 1)
    if code == _SELECT_TYPED:
        count, at = _number(body, at)
        return at + count
    if code == _F32_CONST:
        return at + 4
    if code == _F64_CONST:
        return at + 8
    if code == _REF_FUNC:
        index, end = _number(body, at)
        edits.append((at, end, "function", index))
        return end
    if code == _MORE:
        second, after = _number(body, at)
        if second in _MORE_NUMBERS:
            if second in _BULK:
                edits.append((at - 1, at - 1, "bulk", 0))
            return _after(body, after, _MORE_NUMBERS[second])
    if code == _VECTOR:
        second, at = _number(body, at)
        if second in (12, 13):  # v128.const, i8x16.shuffle
            return at + 16
        if second < 12 or 84 <= second <= 93:  # memory; up to 91 with a lane
            return _after(body, at, 2) + (84 <= second <= 91)
        return at + (21 <= second <= 34)  # lanes
    raise WasmError(f"instruction {code:#x} cannot be metered")
