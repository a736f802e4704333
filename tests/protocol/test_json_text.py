"""Values as strict JSON: every tag of the last column of docs/values.md, and nothing that a strict reader refuses."""

import datetime
import json
import math
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strict_json import loads
from wasmhost import BigInt, ErrorValue, Opaque
from wasmhost.protocol.digits import to_digits
from wasmhost.protocol.json_text import clean, dumps, jsonable
from wasmhost.protocol.values import MAX_INTEGER_BITS, TAG

pytestmark = pytest.mark.spec("A2")

UTC = datetime.UTC

ROWS: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    ("a\0é😀", "a\0é😀"),
    (2**53 - 1, 2**53 - 1),
    (2**53, {TAG: "int", "v": "9007199254740992"}),
    (-(2**53), {TAG: "int", "v": "-9007199254740992"}),
    (BigInt(1), {TAG: "bigint", "v": "1"}),
    (1.5, 1.5),
    (math.nan, {TAG: "float", "v": "NaN"}),
    (math.inf, {TAG: "float", "v": "Infinity"}),
    (-math.inf, {TAG: "float", "v": "-Infinity"}),
    (-0.0, {TAG: "float", "v": "-0"}),
    (0.0, 0.0),
    (5e-324, 5e-324),
    ("x\ud800y", {TAG: "str", "v": [0x78, 0xD800, 0x79]}),
    ("\udc00😀", {TAG: "str", "v": [0xDC00, 0xD83D, 0xDE00]}),
    ([1, [2]], [1, [2]]),
    ((1, math.nan), {TAG: "tuple", "v": [1, {TAG: "float", "v": "NaN"}]}),
    ({3}, {TAG: "set", "v": [3]}),
    (frozenset({3}), {TAG: "frozenset", "v": [3]}),
    ({"a": 1}, {"a": 1}),
    ({1: "a", "1": "b"}, {TAG: "map", "v": [[1, "a"], ["1", "b"]]}),
    ({True: 1}, {TAG: "map", "v": [[True, 1]]}),
    ({"\ud800": 1}, {TAG: "map", "v": [[{TAG: "str", "v": [0xD800]}, 1]]}),
    ({TAG: "int", "v": "1"}, {TAG: "object", "v": {TAG: "int", "v": "1"}}),
    ({}, {}),
    (b"\0\xff", {TAG: "bytes", "v": "AP8="}),
    (bytearray(b"\0\xff"), {TAG: "bytearray", "v": "AP8="}),
    (array("d", [1.5, math.nan]), {TAG: "array", "type": "f8", "v": [1.5, {TAG: "float", "v": "NaN"}]}),
    (array("H", [7]), {TAG: "array", "type": "u2", "v": [7]}),
    (array("q", [2**60]), {TAG: "array", "type": "i8", "v": [{TAG: "int", "v": str(2**60)}]}),
    (datetime.datetime(2024, 2, 29, 1, 2, 3, 4, UTC), {TAG: "datetime", "v": "2024-02-29T01:02:03.000004+00:00"}),
    (datetime.date(2024, 2, 29), {TAG: "date", "v": "2024-02-29"}),
    (datetime.time(1, 2, 3), {TAG: "time", "v": "01:02:03"}),
    (datetime.timedelta(-1, 2, 3), {TAG: "timedelta", "v": [-1, 2, 3]}),
    (Decimal("0.10"), {TAG: "decimal", "v": "0.10"}),
    (Decimal("NaN"), {TAG: "decimal", "v": "NaN"}),
    (Fraction(1, 3), {TAG: "fraction", "v": "1/3"}),
    (complex(1, -0.0), {TAG: "complex", "v": [1.0, {TAG: "float", "v": "-0"}]}),
    (UUID(int=1), {TAG: "uuid", "v": "00000000-0000-0000-0000-000000000001"}),
    (ErrorValue("E", "m\ud800"), {TAG: "error", "type": "E", "message": "m\ufffd"}),
    (Opaque("T", "t\ud800"), {TAG: "opaque", "type": "T", "v": "t\ufffd"}),
]


@pytest.mark.spec("A2.4")
@pytest.mark.parametrize(("value", "text"), ROWS, ids=[repr(row[0])[:30].encode().hex()[:24] for row in ROWS])
def test_a_value_has_its_json_form(value: Any, text: Any) -> None:
    assert jsonable(value) == text
    assert loads(dumps(jsonable(value))) == json.loads(json.dumps(text))


@pytest.mark.parametrize("bits", [9_999, 10_000, 100_000, MAX_INTEGER_BITS])
def test_integers_of_any_size_are_written_in_decimal(bits: int) -> None:
    value = (1 << bits) - 12345
    digits = jsonable(value)["v"]
    assert len(digits) == int((bits) * math.log10(2)) + 1
    assert int(digits[-4000:]) == value % 10**4000
    assert jsonable(-value)["v"] == f"-{digits}"


def test_only_values_of_guests_have_a_json_form() -> None:
    for value in (object(), len, {1: object()}):
        with pytest.raises(TypeError, match="cannot come from a guest"):
            jsonable(value)


any_text = st.text(st.characters(), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | any_text
    | st.binary(max_size=20)
    | st.decimals()
    | st.fractions()
    | st.complex_numbers()
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.uuids()
    | st.builds(Opaque, any_text, any_text)
    | st.builds(ErrorValue, any_text, any_text),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(any_text | st.just(TAG), inner, max_size=4)
        | st.dictionaries(st.integers() | any_text, inner, max_size=4)
    ),
    max_leaves=15,
)


@pytest.mark.spec("A2.4")
@given(values)
def test_any_value_is_strict_json(value: Any) -> None:
    text = dumps(jsonable(value))
    assert text.isascii()
    assert "\n" not in text
    loads(text)


@pytest.mark.spec("A2.4")
@given(any_text)
def test_clean_text_can_be_encoded_and_good_text_is_untouched(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    try:
        text.encode()
    except UnicodeEncodeError:
        assert "\ufffd" in cleaned
    else:
        assert cleaned == text


def test_a_fraction_of_more_digits_than_python_writes() -> None:
    written = jsonable(Fraction(7**9_000, 3))
    assert written["v"] == f"{to_digits(7**9_000)}/3"
    assert jsonable(Fraction(4, 2))["v"] == "2"
