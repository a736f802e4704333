"""Reviving values of a guest: every row of docs/values.md, and whatever a hostile guest may send instead."""

import datetime
import math
from array import array
from decimal import Decimal
from fractions import Fraction
from time import monotonic
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost import BigInt, ErrorValue, Opaque
from wasmhost.errors import ProtocolError
from wasmhost.protocol.scan import check_depth, parse
from wasmhost.protocol.values import (
    MAX_DECIMAL_CHARS,
    MAX_INTEGER_BITS,
    TAG,
    revive,
)

pytestmark = pytest.mark.spec("A2", "C7")

UTC = datetime.UTC
ATTACHMENTS = [b"\0\xff\x80", b"\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"]


def tagged(tag: str, **more: Any) -> dict[str, Any]:
    return {TAG: tag, **more}


ROWS: list[tuple[Any, Any]] = [
    (tagged("int", v="0x10000000000000000"), 2**64),
    (tagged("int", v="-0x1f"), -31),
    (tagged("bigint", v="0x2a"), BigInt(42)),
    (tagged("bytes", at=0), ATTACHMENTS[0]),
    (tagged("bytearray", at=0), bytearray(ATTACHMENTS[0])),
    (tagged("array", type="i8", at=1), array("q", [1, 2])),
    (tagged("array", type="u1", at=0), array("B", [0, 255, 128])),
    (tagged("tuple", v=[1, [2]]), (1, [2])),
    (tagged("set", v=[1, "a"]), {1, "a"}),
    (tagged("frozenset", v=[]), frozenset()),
    (tagged("set", v=[[1]]), [[1]]),
    (tagged("map", v=[[1, "a"], [None, "b"]]), {1: "a", None: "b"}),
    (tagged("map", v=[[[1], "a"]]), [([1], "a")]),
    (tagged("object", v={TAG: "int", "v": 1}), {TAG: "int", "v": 1}),
    (tagged("datetime", v="2024-02-29T23:59:00+00:00"), datetime.datetime(2024, 2, 29, 23, 59, tzinfo=UTC)),
    (tagged("datetime", v="1970-01-01T00:00:00.000Z"), datetime.datetime(1970, 1, 1, tzinfo=UTC)),
    (tagged("datetime", v="2024-02-29T23:59:00.000001"), datetime.datetime(2024, 2, 29, 23, 59, 0, 1)),
    (tagged("date", v="0001-01-01"), datetime.date(1, 1, 1)),
    (tagged("time", v="23:59:59"), datetime.time(23, 59, 59)),
    (tagged("timedelta", v=[-1, 3, 5]), datetime.timedelta(-1, 3, 5)),
    (tagged("decimal", v="0.10"), Decimal("0.10")),
    (tagged("fraction", v="-1/3"), Fraction(-1, 3)),
    (tagged("fraction", v="7"), Fraction(7)),
    (tagged("complex", v=[1, -2.5]), complex(1, -2.5)),
    (tagged("uuid", v="12345678123456781234567812345678"), UUID("12345678123456781234567812345678")),
    (tagged("error", type="ValueError", message="no"), ErrorValue("ValueError", "no")),
    (tagged("opaque", type="Lock", v="<lock>"), Opaque("Lock", "<lock>")),
]


@pytest.mark.parametrize(("wire", "value"), ROWS, ids=[row[0][TAG] for row in ROWS])
def test_a_tagged_value_is_revived(wire: Any, value: Any) -> None:
    got = revive(wire, ATTACHMENTS, 64)
    assert got == value
    assert type(got) is type(value)
    nested = revive({"a": [wire]}, ATTACHMENTS, 64)
    assert nested == {"a": [value]}


def test_keys_keep_their_text() -> None:
    assert repr(revive(tagged("decimal", v="0.10"), [], 64)) == "Decimal('0.10')"
    assert str(revive(tagged("decimal", v="sNaN"), [], 64)) == "sNaN"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1.5e3", -1500.0),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ('"\\ud800x"', "\ud800x"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"a\nb"', "a\nb"),
        ("[true, false, null]", [True, False, None]),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_json_of_the_wire_is_parsed(text: str, value: Any) -> None:
    assert parse(text) == value


def test_words_that_json_lacks() -> None:
    assert math.isnan(parse("NaN"))
    assert str(parse("-0.0")) == "-0.0"


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "1 2", "[1,]", '{"a"}', "'a'", "[" * 100_000, '{"a":' * 100_000, "9" * 5_000, "\ufeff1", "tru"],
)
def test_what_is_not_one_json_text_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse(text)


DAMAGED = [
    tagged("int"),
    tagged("int", v=1),
    tagged("int", v="0xzz"),
    tagged("int", v=""),
    tagged("bytes"),
    tagged("bytes", at=2),
    tagged("bytes", at=-1),
    tagged("bytes", at=True),
    tagged("bytes", at=10**30),
    tagged("array", type="i3", at=0),
    tagged("array", type="i8", at=0),
    tagged("array", type=["i8"], at=0),
    tagged("tuple", v="abc"),
    tagged("tuple", v={}),
    tagged("set"),
    tagged("map", v=[[1]]),
    tagged("map", v=[[1, 2, 3]]),
    tagged("map", v=[1]),
    tagged("object", v=[]),
    tagged("datetime", v="2024-02-30"),
    tagged("datetime", v="Z"),
    tagged("datetime", v="2024-01-01T00:00:00" + "0" * 100),
    tagged("date", v="2024-01-01T00:00"),
    tagged("time", v="\ud800"),
    tagged("timedelta", v=[1, 2]),
    tagged("timedelta", v=[1e308, 0, 0]),
    tagged("timedelta", v=[float("nan"), 0, 0]),
    tagged("timedelta", v=["1", 0, 0]),
    tagged("timedelta", v=3),
    tagged("decimal", v="ten"),
    tagged("decimal", v="\ud800"),
    tagged("fraction", v="1/0"),
    tagged("fraction", v="1/2/3"),
    tagged("complex", v=[1]),
    tagged("complex", v=["x", 1]),
    tagged("complex", v=[10**400, 1]),
    tagged("uuid", v="no"),
    tagged("error", type="X"),
    tagged("error", type=1, message="x"),
    tagged("opaque", type="X", v=1),
    tagged("__class__", v=1),
    {TAG: 1},
    {TAG: None, "v": 1},
    {TAG: ["int"], "v": "0x1"},
]


@pytest.mark.parametrize("wire", [item for item in DAMAGED if item[TAG] is not None], ids=repr)
def test_a_damaged_tagged_value_is_refused(wire: Any) -> None:
    with pytest.raises(ProtocolError):
        revive([wire], ATTACHMENTS, 64)


def nest(levels: int, innermost: Any, make: Any) -> Any:
    value = innermost
    for _ in range(levels):
        value = make(value)
    return value


@pytest.mark.spec("C7.4")
@pytest.mark.parametrize(
    "make",
    [
        lambda inner: [inner],
        lambda inner: {"k": inner},
        lambda inner: tagged("tuple", v=[inner]),
        lambda inner: tagged("map", v=[[1, inner]]),
        lambda inner: tagged("object", v={"k": inner}),
    ],
    ids=["list", "dict", "tuple", "map", "object"],
)
def test_what_is_within_the_limit_on_depth_is_revived_and_more_is_refused(make: Any) -> None:
    revive(nest(64, 1, make), [], 64)
    with pytest.raises(ProtocolError, match="too deep"):
        revive(nest(250, 1, make), [], 64)


@pytest.mark.parametrize("make", [lambda inner: [inner], lambda inner: {"k": inner}], ids=["list", "dict"])
def test_depth_without_tags_is_bounded(make: Any) -> None:
    check_depth({"v": nest(64, 1, make)}, 64)
    with pytest.raises(ProtocolError, match="too deep"):
        check_depth({"v": nest(80, 1, make)}, 64)
    with pytest.raises(ProtocolError, match="too deep"):
        check_depth({"v": [1, {"a": nest(90_000, 1, make)}]}, 64)


# ---- bounds of revival ----


@pytest.mark.spec("C7.4")
def test_large_integers_are_revived_in_linear_time_and_larger_ones_are_shown() -> None:
    started = monotonic()
    digits = "0x" + "f" * (MAX_INTEGER_BITS // 4 - 2)
    assert revive(tagged("int", v=digits), [], 64).bit_length() == MAX_INTEGER_BITS - 8
    shown = revive(tagged("int", v="0x" + "f" * MAX_INTEGER_BITS), [], 64)
    assert isinstance(shown, Opaque)
    assert monotonic() - started < 5


def test_decimals_that_would_fill_the_memory_stay_text() -> None:
    assert revive(tagged("decimal", v="1e999999"), [], 64) == Opaque("Decimal", "1e999999")
    assert revive(tagged("decimal", v="1e-999999"), [], 64) == Opaque("Decimal", "1e-999999")
    long = "1" * (MAX_DECIMAL_CHARS + 1)
    assert revive(tagged("decimal", v=long), [], 64) == Opaque("Decimal", long)
    assert revive(tagged("decimal", v="1e100000"), [], 64) == Decimal("1e100000")


@pytest.mark.parametrize("kind", ["set", "frozenset", "map"])
@pytest.mark.parametrize(
    "key",
    [
        lambda i: tagged("int", v=hex(i * (2**61 - 1))),
        lambda i: tagged("bigint", v=hex(i * (2**61 - 1))),
        lambda i: tagged("tuple", v=[tagged("int", v=hex(i * (2**61 - 1)))]),
        lambda i: tagged("fraction", v=str(i * (2**61 - 1))),
        lambda i: tagged("decimal", v=str(i * (2**61 - 1))),
        lambda i: tagged("complex", v=[0, i * 2.0**61]),
    ],
    ids=["int", "bigint", "tuple", "fraction", "decimal", "complex"],
)
@pytest.mark.timeout(30)
def test_keys_with_equal_hashes_do_not_hold_the_host(kind: str, key: Any) -> None:
    # Hashes of numbers are not secret: whoever chooses keys modulo 2^61 - 1 makes every insertion a walk over all.
    keys = [key(i) for i in range(30_000)]
    started = monotonic()
    got = revive(tagged(kind, v=[[k, 1] for k in keys] if kind == "map" else keys), [], 64)
    assert monotonic() - started < 5
    assert len(got) == len(set(map(repr, keys)))


@pytest.mark.spec("C7.4")
@pytest.mark.timeout(30)
@pytest.mark.parametrize("wrap", [lambda key: key, lambda key: tagged("tuple", v=[1, key])], ids=["bare", "in a tuple"])
@pytest.mark.parametrize("kind", ["set", "frozenset", "map"])
def test_keys_that_take_seconds_to_compare_make_no_dict(kind: str, wrap: Any) -> None:
    # A long integer is made a Decimal to be compared with one, in quadratic time: two and a half seconds each here.
    long = 1 << (MAX_INTEGER_BITS - 100)
    numbers = [tagged("decimal", v=str(long % (2**61 - 1) + k * (2**61 - 1))) for k in range(31)]
    keys = [wrap(key) for key in [*numbers, tagged("int", v=hex(long))]]
    got = revive(tagged(kind, v=[[k, 1] for k in keys] if kind == "map" else keys), [], 64)
    assert type(got) is list
    assert len(got) == 32


def test_keys_of_one_hash_that_are_soon_compared_stay_keys() -> None:
    # hash(-1) is hash(-2), and so it is in tuples; an integer of any length counts where no other key has its hash.
    pairs = [tagged("tuple", v=[-1, 0]), tagged("tuple", v=[-2, 0]), tagged("int", v=hex(1 << 100_000))]
    assert revive(tagged("set", v=pairs), [], 64) == {(-1, 0), (-2, 0), 1 << 100_000}
    assert revive(tagged("set", v=[-1, -2, 1 << 60]), [], 64) == {-1, -2, 1 << 60}


@pytest.mark.parametrize("kind", ["set", "map"])
def test_many_honest_keys_stay_keys(kind: str) -> None:
    keys = [*range(20_000), *map(str, range(1_000)), *(i + 0.5 for i in range(100))]
    got = revive(tagged(kind, v=[[k, 1] for k in keys] if kind == "map" else keys), [], 64)
    assert type(got) is (dict if kind == "map" else set)
    assert len(got) == len(keys)


@pytest.mark.spec("C7.4")
@pytest.mark.parametrize("tag", ["bytes", "bytearray", "array", "text"])
def test_an_attachment_is_for_one_place(tag: str) -> None:
    # Named by each of a thousand values, it would be copied a thousand times.
    one = tagged(tag, at=0, type="u1")
    data = [b"abcd", b"efgh"]
    assert len(revive([one, tagged(tag, at=1, type="u1")], data, 64)) == 2
    assert data == [b"abcd", b"efgh"]
    with pytest.raises(ProtocolError, match="damaged"):
        revive([dict(one), dict(one)], data, 64)


# ---- anything ----

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=12),
    st.sampled_from(["0x1", "-0xff", "1/2", "nan", "1e5", "2024-01-01", "12:30", "P1D", "\ud800", ""]),
)
TAGS = [row[0][TAG] for row in ROWS]


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    words = st.sampled_from([TAG, "v", "at", "type", "message", "a"])
    return st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(words, inner, max_size=4),
        st.fixed_dictionaries({TAG: st.sampled_from(TAGS), "v": inner}),
        st.fixed_dictionaries({TAG: st.sampled_from(TAGS), "at": inner, "type": inner, "message": inner}),
    )


@given(st.recursive(leaves, containers, max_leaves=20))
def test_anything_is_revived_or_refused(wire: Any) -> None:
    try:
        revive(wire, ATTACHMENTS, 8)
    except ProtocolError:
        pass


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(text)
    except ProtocolError:
        pass


def test_values_that_are_like_their_tag_can_be_compared_and_shown() -> None:
    assert Opaque("A", "b") == Opaque("A", "b") != Opaque("A", "c")
    assert hash(Opaque("A", "b")) == hash(Opaque("A", "b"))
    assert repr(Opaque("A", "b")) == "Opaque('A', 'b')"
    assert ErrorValue("A", "b") == ErrorValue("A", "b") != Opaque("A", "b")
    assert hash(ErrorValue("A", "b")) == hash(ErrorValue("A", "b"))
    match Opaque("A", "b"):
        case Opaque(kind, text):
            assert (kind, text) == ("A", "b")
    assert BigInt(3) + 1 == 4
