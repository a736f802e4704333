"""Every decoder of bytes from a guest, or from whoever has written a file, with what real guests give and with that
changed: an answer, or the error that it is documented to raise, and never anything else.

`scripts/fuzz-coverage` prints which lines of the decoders these reach.
"""

import json
import struct
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fuzz import fuzz, mutations
from tests.support.pictures import PNG
from wasmhost import Limits
from wasmhost.errors import ProtocolError
from wasmhost.protocol import frames, packed, values
from wasmhost.protocol.harmless import harmless
from wasmhost.protocol.json_read import NotStrict, check_plain, loads, value_of
from wasmhost.protocol.json_text import dumps, jsonable
from wasmhost.protocol.scan import parse
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import image
from wasmhost.sandbox.instance import Broken, Frame, Instance
from wasmhost.sandbox.meter import Meter
from wasmhost.sandbox.system import SystemSource
from wasmhost.session.cell import CellRun
from wasmhost.session.output import CellOutput

pytestmark = pytest.mark.spec("C7", "C8", "A3.3")

LIMITS = Limits(value_bytes=200_000, text_chars=2_000)

PYTHON = [
    *["1 + 1", "None", "[1, 2.5, 'x', None, True]", "{'a': {'b': [1]}}", "2**200", "-2**70", "b'abc'", "bytearray(9)"],
    *["(1, (2,))", "{1, 'a'}", "frozenset([1])", "{1: 2, (3, 4): 5}", "{'$wasmhost': 1}", "float('nan')", "-0.0"],
    *["import decimal, fractions, uuid; [decimal.Decimal('1e50'), fractions.Fraction(1, 3), uuid.UUID(int=7)]"],
    *["import datetime as d; [d.datetime(2024, 2, 29, tzinfo=d.UTC), d.date(1, 1, 1), d.time(3), d.timedelta(-1, 5)]"],
    *["import array; [array.array('d', [1.5]), array.array('b', b'xyz'), 3 + 4j, 1e300]", "object()", "lambda: 1"],
    *["ValueError('no')", "1 / 0", "raise SystemExit(3)", "def f(): f()\nf()", "x y", "'\\ud800é' * 50", "'x' * 9000"],
    *["import asyncio; await asyncio.sleep(5)", "import asyncio; await asyncio.Event().wait()", "[[[[[[[[1]]]]]]]]"],
    *[f"bytes.fromhex('{PNG.hex()}')", "x = 1", "class C:\n  def __repr__(self): 1 / 0\nC()", "'y' * 300_000"],
]
JAVASCRIPT = [
    *[
        "1 + 1",
        "undefined",
        "null",
        "[1, 2.5, 'x', true]",
        "({ a: { b: [1] } })",
        "2n ** 200n",
        "NaN",
        "-0",
        "Infinity",
    ],
    *["new Uint8Array([1, 2])", "new Float64Array([1.5])", "new Map([[1, 2]])", "new Set([1, 'a'])", "new Date(0)"],
    *["Symbol('x')", "() => 1", "class A {}; new A()", "({ $wasmhost: 1 })", "/x/g", "new Error('no')", "'\\ud800é'"],
    *["throw 1", "throw new TypeError('no')", "null.x", "x y", "await new Promise(r => setTimeout(r, 5e6))"],
    *["await new Promise(() => {})", "var a = []; a.push(a); a", "'x'.repeat(9000)", "'y'.repeat(300000)", "let z = 1"],
]

FrameParts = tuple[int, int, bytes, tuple[bytes, ...]]


class Nowhere:
    def write(self, stream: int, data: bytes) -> None: ...


def _frames(name: str, programs: list[str]) -> list[FrameParts]:
    instance = Instance(image(engine(), name), SystemSource(), 256 << 20)
    found = []
    for number, program in enumerate(programs, 1):
        source = program.encode()
        instance.source.begin_cell(number)
        instance.begin_cell(Meter(perf_counter_ns(), 5_000_000_000, 60_000_000_000, None), Nowhere())
        seed = bytes(32) if number == 1 else None
        head = frames.start_head(
            number, 0, seed, LIMITS.value_bytes, LIMITS.value_depth, LIMITS.text_chars, len(source)
        )
        frame = instance.start(head, source)
        found.append((frame.status, frame.flags, frame.head, tuple(frame.attachments)))
        if frame.status == frames.WAITING:
            cancelled = b'{"cancel":{"type":"TimeoutError","message":"over"}}'
            frame = instance.resume(cancelled)
            found.append((frame.status, frame.flags, frame.head, tuple(frame.attachments)))
    instance.close()
    return found


REAL = [*_frames("python", PYTHON), *_frames("quickjs", JAVASCRIPT)]
HEADS = [head for _, _, head, _ in REAL]


def test_the_corpus_has_every_kind_of_answer_and_every_tag() -> None:
    assert {status for status, *_ in REAL} == {frames.DONE, frames.FAILED, frames.WAITING}
    assert {flags & 3 for _, flags, *_ in REAL} >= {0, frames.FLAG_TAGS, frames.FLAG_TRUNCATED}
    text = b"".join(HEADS)
    missing = {tag for tag in values._READERS if f'"{tag}"'.encode() not in text}
    # Only in messages of calls.
    assert missing <= {"text"}


def result_of(frame: Frame) -> Any:
    """As a session makes it of a frame, with everything that a program may ask of it."""
    meter = Meter(0, 10**9, 10**9, None)
    cell = CellRun(1, LIMITS, meter, CellOutput(1000, 1000, 1000))
    cell.answered(frame)
    result = cell.result(1, None, None) if cell.over else None
    if result is not None:
        json.loads(result.to_json())
        assert len(repr(result)) < 100_000
        result.messages("openai")
        result.content("anthropic")
        assert len(result.error or "") <= frames.MAX_ERROR_CHARS + 1000
        assert harmless(result.value_text).count("\x1b") == 0
    return result


@pytest.mark.parametrize("number", range(len(REAL)))
def test_what_guests_give_is_taken(number: int) -> None:
    status, flags, head, attachments = REAL[number]
    frames.read(status, flags, head, list(attachments), LIMITS.value_bytes, LIMITS.value_depth)
    result = result_of(Frame(status, flags, head, list(attachments)))
    assert result is None or result.error_type != "ProtocolError" or status == frames.WAITING


frame_parts = st.tuples(
    st.integers(0, 3), st.integers(0, 7), mutations(HEADS), st.sampled_from([parts for *_, parts in REAL])
)


@pytest.mark.spec("C8.3")
@fuzz(1_500)
@given(frame_parts)
def test_frames(parts: FrameParts) -> None:
    status, flags, head, attachments = parts
    try:
        frames.read(status, flags, head, list(attachments), LIMITS.value_bytes, LIMITS.value_depth)
    except ProtocolError:
        pass
    result_of(Frame(status, flags, head, list(attachments)))


@pytest.mark.spec("C8.3", "C7.4")
@pytest.mark.parametrize("number", range(len(REAL)))
def test_frames_cut_at_every_place(number: int) -> None:
    status, flags, head, attachments = REAL[number]
    for end in range(0, len(head), max(1, len(head) // 300)):
        with pytest.raises(ProtocolError):
            frames.read(status, flags, head[:end], list(attachments), LIMITS.value_bytes, LIMITS.value_depth)
    for left in range(len(attachments)):
        with pytest.raises(ProtocolError):
            frames.read(status, flags, head, list(attachments[:left]), LIMITS.value_bytes, LIMITS.value_depth)


# Tagged values with each part exchanged, whatever the part is.
_parts = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["0x1", "-0x1f", "0x" + "f" * 300, "1/3", "1e99999", "-0", "12:30", "2024-01-01", "u1", "f8", "x"]),
    st.sampled_from([2**61 - 1, -(2**61 - 1), 2**61, 0, -1, -2, 1 << 5000]),
)
tagged: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        _parts,
        st.lists(tagged, max_size=4),
        st.dictionaries(st.sampled_from(["a", "v", "at", values.TAG]), tagged, max_size=3),
        st.builds(
            lambda tag, more: {values.TAG: tag, **more},
            st.sampled_from([*values._READERS, "float", "str", "__class__"]),
            st.fixed_dictionaries(
                {"v": tagged}, optional={"at": _parts, "type": _parts, "message": _parts, "more": tagged}
            ),
        ),
        st.builds(lambda keys: {values.TAG: "map", "v": [[key, 1] for key in keys]}, st.lists(tagged, max_size=5)),
    )
)


def revived(make: Callable[[], Any], refused: type[Exception]) -> None:
    """What comes of it can be written, compared with itself and shown, or it was refused."""
    try:
        value = make()
    except refused:
        return
    json.loads(dumps(jsonable(value)))
    repr(type(value))


@pytest.mark.spec("C7.4")
@fuzz(1_500)
@given(tagged, st.lists(st.binary(max_size=24), max_size=3), st.integers(0, 12))
def test_tagged_values(value: Any, attachments: list[bytes], depth: int) -> None:
    revived(lambda: values.revive(value, attachments, depth), ProtocolError)


@fuzz(800)
@given(tagged)
def test_tagged_values_of_strict_json(value: Any) -> None:
    revived(lambda: value_of(value), NotStrict)
    try:
        check_plain(value, "it", [1_000])
    except NotStrict:
        pass


def _strict() -> list[bytes]:
    made = []
    for status, flags, head, parts in REAL:
        answer = frames.read(status, flags, head, list(parts), LIMITS.value_bytes, LIMITS.value_depth)
        if isinstance(answer, frames.Done):
            made.append(dumps(jsonable(answer.value)).encode())
    return made


STRICT = _strict()


@fuzz(800)
@given(mutations(STRICT))
def test_strict_json(data: bytes) -> None:
    revived(lambda: value_of(loads(data)), NotStrict)


@fuzz(400)
@given(mutations(HEADS))
def test_json_of_the_wire(data: bytes) -> None:
    try:
        parse(data.decode("utf-8", "replace"))
    except ProtocolError:
        pass


PACKED = [packed.pack(b'[1,{"$wasmhost":"bytes","at":0}]', [b"ab"]), packed.pack(b"[]", [b"", b"x" * 40, b""])]
PACKED += [packed.pack(head, list(parts)) for _, _, head, parts in REAL if parts]


@pytest.mark.spec("C7.4", "D1.6")
@fuzz(1_000)
@given(mutations(PACKED), st.integers(0, 70))
def test_packed_messages(data: bytes, depth: int) -> None:
    try:
        head, attachments = packed.unpack(data)
    except ProtocolError:
        pass
    else:
        assert len(head) + sum(map(len, attachments)) <= len(data)
    revived(lambda: packed.read_request(data, depth), ProtocolError)


@pytest.mark.spec("C7.4", "D1.6")
@pytest.mark.parametrize("number", range(len(PACKED)))
def test_lengths_of_packed_messages(number: int) -> None:
    data = PACKED[number]
    count = int.from_bytes(data[8:12], "little")
    for at in range(4, 12 + 4 * count, 4):
        true = int.from_bytes(data[at : at + 4], "little")
        for other in {0, true - 1, true + 1, true + 4, len(data), 1 << 31, 0xFFFFFFFF, 1 << 16, (1 << 16) + 1}:
            if other not in (-1, true):
                with pytest.raises(ProtocolError):
                    packed.unpack(data[:at] + struct.pack("<I", other) + data[at + 4 :])
    for end in range(len(packed.MAGIC), len(data), max(1, len(data) // 500)):
        with pytest.raises(ProtocolError):
            packed.unpack(data[:end])


@fuzz(400)
@given(st.binary(max_size=60))
def test_start_heads_of_any_bytes(data: bytes) -> None:
    # Only from the host's own journal, and from logs by way of `with_seed`: the size is all that can be wrong.
    try:
        head = frames.read_start_head(data)
    except struct.error:
        assert len(data) != frames.HEAD_BYTES
    else:
        assert head.seed is None or len(head.seed) == 32


@fuzz(300)
@given(st.text(max_size=200))
def test_text_is_harmless(text: str) -> None:
    shown = harmless(text)
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any(c in shown for c in "\x7f\x9b‎‏\u2028\u2029‪‮⁦⁩")


EVENTS = [b'{"settle":[[1,true,1]]}', b'{"cancel":{"type":"E","message":"m"}}', b'{"run":[[1,"t",{}]]}', b"{}"]
SLEEPS = {
    "python": b"import asyncio; await asyncio.sleep(9)",
    "quickjs": b"await new Promise(r => setTimeout(r, 9e6))",
}


@pytest.mark.spec("D1.6")
@fuzz(60)
@given(st.sampled_from(["python", "quickjs"]), mutations(EVENTS))
def test_events_that_no_host_sends_harm_the_guest_at_most(name: str, events: bytes) -> None:
    # The other way round: what is in a forged log or snapshot goes into a real guest.
    instance = Instance(image(engine(), name), SystemSource(), 64 << 20)
    instance.source.begin_cell(1)
    instance.begin_cell(Meter(perf_counter_ns(), 200_000_000, 400_000_000, None), Nowhere())
    source = SLEEPS[name]
    try:
        instance.start(frames.start_head(1, 0, bytes(32), 10_000, 20, 1_000, len(source)), source)
        frame = instance.resume(events)
        frames.read(frame.status, frame.flags, frame.head, frame.attachments, 10_000, 20)
    except (Broken, ProtocolError):
        pass
    finally:
        instance.close()
