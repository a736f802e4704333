"""What is kept of a stream: its beginning and its end, whole characters, and the exact number of bytes between."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost.sandbox.meter import Meter
from wasmhost.session.output import CellOutput, Stream

pytestmark = pytest.mark.spec("C5")

MARK = re.compile(r"\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n")


def meter() -> Meter:
    made = Meter(0, 1, 1, None)
    made.start(0)
    return made


def written(pieces: list[bytes], kept: int) -> tuple[str, int]:
    stream = Stream(kept)
    for piece in pieces:
        stream.write(piece)
    return stream.text()


@pytest.mark.spec("C5.1")
@pytest.mark.parametrize(
    ("data", "kept", "head", "tail"),
    [
        (b"abcdefgh", 4, "ab", "gh"),
        (b"abcdefgh", 5, "abc", "gh"),
        (b"abcdefgh", 1, "a", ""),
        (b"abcdefgh", 0, "", ""),
        ("ééééé".encode(), 4, "é", "é"),
        ("ééééé".encode(), 6, "é", "é"),
        ("a😀😀😀b".encode(), 6, "a", "b"),
        ("a😀😀😀b".encode(), 10, "a😀", "😀b"),
    ],
)
def test_head_and_tail(data: bytes, kept: int, head: str, tail: str) -> None:
    text, elided = written([data], kept)
    assert MARK.split(text) == [head, str(elided), tail]
    assert elided == len(data) - len(head.encode()) - len(tail.encode())


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 100])
def test_what_fits_is_untouched(kept: int) -> None:
    data = bytes(range(65, 65 + min(kept, 26))) * 1
    assert written([data], kept) == (data.decode(), 0)
    assert written([bytes([byte]) for byte in data], kept) == (data.decode(), 0)


def test_a_character_that_lies_over_the_middle_is_whole_when_all_fits() -> None:
    assert written(["aé".encode()], 3) == ("aé", 0)


@pytest.mark.spec("C5.1", "C5.2")
@given(st.text(max_size=60), st.integers(0, 40), st.data())
def test_any_text_in_any_pieces(text: str, kept: int, data: st.DataObject) -> None:
    raw = text.encode()
    pieces = []
    rest = raw
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        pieces.append(rest[:size])
        rest = rest[size:]
    shown, elided = written(pieces, kept)
    if len(raw) <= kept:
        assert (shown, elided) == (text, 0)
        return
    found = MARK.search(shown)
    assert found
    head, tail = shown[: found.start()], shown[found.end() :]
    # Where the text itself holds such a line, any of them may be the one; the counts decide.
    for other in MARK.finditer(shown):
        if int(other[1]) == elided:
            head, tail = shown[: other.start()], shown[other.end() :]
            if text.startswith(head) and text.endswith(tail):
                break
    assert text.startswith(head)
    assert text.endswith(tail)
    assert elided == len(raw) - len(head.encode()) - len(tail.encode()) > 0
    assert len(head.encode()) + len(tail.encode()) <= kept
    # No more is left out than a cut character on each side.
    assert kept - len(head.encode()) - len(tail.encode()) <= 6


@given(st.lists(st.binary(max_size=30)), st.integers(0, 40))
def test_any_bytes_give_text(pieces: list[bytes], kept: int) -> None:
    shown, elided = written(pieces, kept)
    shown.encode()
    assert (elided == 0) == (sum(map(len, pieces)) <= kept)


@pytest.mark.spec("C5.3", "D1.5")
@pytest.mark.parametrize("piece", [1, 3, 1000, 100_000])
def test_a_flood_takes_bounded_memory(piece: int) -> None:
    stream = Stream(10_000)
    data = b"x" * piece
    tracemalloc.start()
    try:
        for _ in range(2_000_000 // piece if piece > 1 else 100_000):
            stream.write(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000 + 3 * piece
    text, elided = stream.text()
    assert elided == stream.total - 10_000
    assert len(MARK.sub("", text)) == 10_000


@pytest.mark.spec("D1.5")
def test_beyond_the_console_limit_output_is_only_counted() -> None:
    output = CellOutput(100, 100, 10)
    output.write(1, b"123456")
    output.write(2, b"abcdef")
    output.write(1, b"789")
    assert output.text(2) == ("abcd\n[... 2 bytes left out ...]\n", 2)
    assert output.text(1) == ("123456\n[... 3 bytes left out ...]\n", 3)


def test_a_listener_gets_each_piece_that_is_within_the_limit() -> None:
    output = CellOutput(2, 2, 8)
    heard: list[tuple[str, bytes]] = []
    output.follow(lambda name, data: heard.append((name, data)), lambda reason: None, meter())
    for stream, data in ((1, b"abc"), (2, b"de"), (1, b"fghij"), (1, b"k")):
        output.write(stream, data)
    assert heard == [("stdout", b"abc"), ("stderr", b"de"), ("stdout", b"fgh")]


def test_a_listener_that_raises_stops_the_cell_and_is_not_called_again() -> None:
    output = CellOutput(100, 100, 100)
    calls: list[bytes] = []
    stopped: list[str] = []

    def listener(name: str, data: bytes) -> None:
        calls.append(data)
        raise KeyError("mine")

    output.follow(listener, stopped.append, meter())
    output.write(1, b"a")
    output.write(1, b"b")
    assert (calls, stopped) == ([b"a"], ["cancelled"])
    assert isinstance(output.listener_error, KeyError)
    assert output.text(1) == ("ab", 0)
