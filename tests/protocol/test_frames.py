"""Frames: what is packed for a guest, and what its answers are read as."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost.errors import ProtocolError
from wasmhost.protocol import frames
from wasmhost.protocol.frames import Done, ErrorFrame, Failed, Waiting, read, start_head

BYTES, DEPTH = 1 << 20, 64


def answer(status: int, head: bytes, flags: int = 0, attachments: list[bytes] | None = None) -> frames.Answer:
    return read(status, flags, head, attachments or [], BYTES, DEPTH)


def test_the_head_of_a_start_is_the_structure_of_the_abi() -> None:
    seed = bytes(range(32))
    packed = start_head(7, frames.START_LIVE, seed, 1, 2, 3, 4, 5)
    assert packed == struct.pack("<II32sIIIII", 7, 7, seed, 1, 2, 3, 4, 5)
    assert len(packed) == 60
    assert start_head(1, 0, None, 1, 2, 3, 4)[4:40] == bytes(36)


def test_the_largest_limits_fit_the_head_of_a_start() -> None:
    from wasmhost.limits import _RANGES

    most = {name: int(rule[2]) for name, rule in _RANGES.items()}
    start_head(1, 0, None, most["value_bytes"], most["value_depth"], most["text_chars"], 32 << 20)


def test_done() -> None:
    got = answer(0, b'{"v": [1], "t": "[1]", "notes": ["n"]}', frames.FLAG_TRUNCATED)
    assert isinstance(got, Done)
    assert (got.value, got.value_text, got.has_value, got.truncated, got.notes) == ([1], "[1]", True, True, ["n"])


def test_no_value_is_told_from_null() -> None:
    without, null = answer(0, b"{}"), answer(0, b'{"v": null, "t": "null"}')
    assert isinstance(without, Done)
    assert isinstance(null, Done)
    assert (without.has_value, without.value, null.has_value, null.value) == (False, None, True, None)


def test_tags_count_only_with_the_flag() -> None:
    head = b'{"v": {"$wasmhost": "int", "v": "0xff"}, "t": ""}'
    plain, revived = answer(0, head), answer(0, head, frames.FLAG_TAGS)
    assert isinstance(plain, Done)
    assert isinstance(revived, Done)
    assert (plain.value, revived.value) == ({"$wasmhost": "int", "v": "0xff"}, 255)


def test_failed() -> None:
    frame = {"cell": 2, "line": 3, "column": None, "function": "f", "source": "x = 1"}
    got = answer(
        1,
        b'{"e": {"type": "T", "message": "m", "text": "T: m", "frames": [%s]}}'
        % str(frame).replace("'", '"').replace("None", "null").encode(),
    )
    assert isinstance(got, Failed)
    assert (got.type, got.message, got.text) == ("T", "m", "T: m")
    assert got.frames == [ErrorFrame(2, 3, None, "f", "x = 1")]
    assert got.frames != [ErrorFrame(2, 3, 1, "f", "x = 1")]
    assert "line=3" in repr(got.frames[0])


@pytest.mark.parametrize(
    ("head", "timer", "pending"),
    [
        (b'{"timer": 5, "pending": 2}', 5, 2),
        (b'{"timer": null}', None, 0),
        (b'{"timer": -5, "pending": 0}', 0, 0),
    ],
)
def test_waiting(head: bytes, timer: int | None, pending: int) -> None:
    got = answer(2, head)
    assert isinstance(got, Waiting)
    assert (got.timer, got.pending) == (timer, pending)


def test_a_frame_over_its_limit_is_refused() -> None:
    room = 4 * BYTES + (4 << 20)
    with pytest.raises(ProtocolError, match="larger than the limit"):
        answer(0, b"{}", attachments=[bytes(room)])
    answer(0, b"{}", attachments=[bytes(room - 2)])


@pytest.mark.spec("C7.4")
def test_what_a_guest_says_of_an_error_is_bounded() -> None:
    long = b"x" * (1 << 20)
    frame = b'{"function": "%s", "source": "%s"}' % (long[:10_000], long[:10_000])
    head = b'{"e": {"type": "%s", "message": "%s", "text": "%s", "frames": [%s]}, "notes": [%s]}' % (
        long[:1000],
        long,
        long,
        b",".join([frame] * 100),
        b",".join([b'"%s"' % long[:5000]] * 100),
    )
    got = answer(1, head)
    assert isinstance(got, Failed)
    assert len(got.type) <= 200
    assert len(got.message) <= frames.MAX_ERROR_CHARS
    assert len(got.text) <= frames.MAX_ERROR_CHARS
    assert len(got.frames) <= frames.MAX_FRAMES
    assert len(got.frames[0].source) <= 2000
    assert len(got.notes) == frames.MAX_NOTES
    assert {len(note) for note in got.notes} == {frames.MAX_NOTE_CHARS}


@given(st.integers(0, 4), st.integers(0, 7), st.binary(max_size=300), st.lists(st.binary(max_size=9), max_size=3))
def test_any_bytes_are_a_frame_or_refused(status: int, flags: int, head: bytes, attachments: list[bytes]) -> None:
    try:
        answer(status, head, flags, attachments)
    except ProtocolError:
        pass


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)
keys = st.sampled_from(["v", "t", "e", "notes", "timer", "pending"])
error_keys = st.sampled_from(["type", "message", "text", "frames"])
bodies = st.dictionaries(keys, json_values | st.dictionaries(error_keys, json_values), max_size=5)


@given(st.integers(0, 3), st.integers(0, 3), bodies)
def test_any_json_is_a_frame_or_refused(status: int, flags: int, body: dict[str, Any]) -> None:
    import json

    try:
        answer(status, json.dumps(body).encode(), flags)
    except ProtocolError:
        pass


@given(json_values)
def test_json_comes_through_as_it_is(value: Any) -> None:
    import json

    got = answer(0, json.dumps({"v": value, "t": ""}).encode())
    assert isinstance(got, Done)
    assert got.value == value
