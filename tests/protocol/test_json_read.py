"""Values from strict JSON: what jsonable wrote is read back as it was, and nothing else is taken."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost import Opaque
from wasmhost.protocol.json_read import MAX_DEPTH, NotStrict, check_plain, loads, value_of
from wasmhost.protocol.json_text import dumps, jsonable
from wasmhost.protocol.values import MAX_EQUAL_HASHES, MAX_INTEGER_BITS, TAG

from .test_json_text import ROWS

pytestmark = pytest.mark.spec("A2.4")


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) or bool(one == other)


# Texts of errors and opaque values are for people: lone surrogates in them do not come back.
EXACT = [row for row in ROWS if "\ufffd" not in str(row[1])]


@pytest.mark.parametrize(("value", "written"), EXACT, ids=[str(i) for i in range(len(EXACT))])
def test_every_row_of_the_table_comes_back(value: Any, written: Any) -> None:
    assert same(value_of(loads(dumps(written))), value)


SIMPLE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@given(SIMPLE)
def test_whatever_is_written_is_read_back(value: Any) -> None:
    assert same(value_of(loads(dumps(jsonable(value)))), value)


HOSTILE: dict[str, str] = {
    "NaN": "[NaN]",
    "a key twice": '{"a": 1, "a": 2}',
    "too deep": "[" * 100_000 + "]" * 100_000,
    "too many digits": "9" * 5_000,
    "more than one": "1 2",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_strict_is_refused(name: str) -> None:
    with pytest.raises(NotStrict):
        loads(HOSTILE[name])
    with pytest.raises(NotStrict):
        loads(b"\xff\xfe\xfa")


DAMAGED: dict[str, Any] = {
    "unknown": {TAG: "os.system", "v": "ls"},
    "no tag": {TAG: None},
    "tag is a list": {TAG: ["int"]},
    "digits": {TAG: "int", "v": "0x10"},
    "number": {TAG: "int", "v": 10},
    "float": {TAG: "float", "v": "1e5"},
    "bytes": {TAG: "bytes", "v": "###"},
    "set of text": {TAG: "set", "v": "abc"},
    "map": {TAG: "map", "v": [[1]]},
    "units": {TAG: "str", "v": [70_000]},
    "date": {TAG: "date", "v": "today"},
    "timedelta": {TAG: "timedelta", "v": [10**30, 0, 0]},
    "fraction": {TAG: "fraction", "v": "1/0"},
    "uuid": {TAG: "uuid", "v": "x"},
    "array": {TAG: "array", "type": "x9", "v": []},
    "array value": {TAG: "array", "type": "u1", "v": [300]},
    "complex": {TAG: "complex", "v": [1]},
    "decimal": {TAG: "decimal", "v": "one"},
    "object": {TAG: "object", "v": []},
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_tag_is_refused(name: str) -> None:
    with pytest.raises(NotStrict):
        value_of([DAMAGED[name]])


def test_huge_numbers_stay_text() -> None:
    digits = "9" * (MAX_INTEGER_BITS // 4 + 1)
    assert value_of({TAG: "int", "v": digits}) == Opaque("int", digits)
    assert isinstance(value_of({TAG: "decimal", "v": "1e999999999"}), Opaque)
    assert value_of({TAG: "int", "v": "-" + "7" * 10_000}) < 0


def test_keys_of_one_hash_make_no_dict() -> None:
    pairs = [[jsonable(n * (2**61 - 1)), n] for n in range(MAX_EQUAL_HASHES + 5)]
    assert isinstance(value_of({TAG: "map", "v": pairs}), list)
    assert isinstance(value_of({TAG: "map", "v": pairs[:5]}), dict)


def test_a_value_is_checked_for_what_json_has() -> None:
    check_plain({"a": [1, 1.5, None, True, "x"]}, "it", [100])
    for wrong in (b"x", (1,), math.nan, math.inf, {1: 2}, object()):
        with pytest.raises(NotStrict):
            check_plain([wrong], "it", [1_000])
    deep: Any = []
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(NotStrict, match="nested deeper"):
        check_plain(deep, "it", [1_000])
    with pytest.raises(NotStrict, match="more than may be read"):
        check_plain(["x" * 1_000], "it", [100])
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    with pytest.raises(NotStrict):
        check_plain(cyclic, "it", [10_000])
    assert json.loads(dumps(1)) == 1
