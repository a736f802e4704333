"""Integers as digits and back: equal to what Python itself gives, in a time that a guest cannot make long."""

import sys
from collections.abc import Iterator
from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wasmhost.protocol.digits import from_digits, to_digits
from wasmhost.protocol.values import MAX_INTEGER_BITS

pytestmark = pytest.mark.spec("A2.4", "C7.4")


@pytest.fixture
def no_limit() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("bits", [1, 1_999, 2_000, 2_001, 3_999, 4_000, 4_001, 10_000, 33_333])
def test_digits_are_those_of_python(no_limit: None, bits: int) -> None:
    for value in (1 << bits, (1 << bits) - 1, (1 << bits) // 7, 10 ** (bits // 4), 10 ** (bits // 4) - 1):
        for signed in (value, -value):
            text = str(signed)
            assert to_digits(signed) == text
            assert from_digits(text) == signed


@given(st.integers(-(1 << 9_000), 1 << 9_000))
@example(0)
def test_what_is_written_is_read(value: int) -> None:
    assert from_digits(to_digits(value)) == value


def test_zeros_at_the_front() -> None:
    assert from_digits("0" * 5_000 + "12") == 12
    assert from_digits("-" + "0" * 5_000) == 0


@pytest.mark.parametrize("text", ["", "-", "--1", "+1", "1_0", " 1", "1 ", "0x1", "١", "1" * 700 + "_1", "²"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        from_digits(text)


def test_the_limit_of_the_interpreter_does_not_count() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert from_digits(to_digits(7**5_000)) == 7**5_000
    finally:
        sys.set_int_max_str_digits(before)


def test_time_grows_less_than_the_square_of_the_length() -> None:
    def seconds(bits: int) -> float:
        value = (1 << bits) // 7
        best = 1e9
        for _ in range(3):
            start = perf_counter()
            assert from_digits(to_digits(value)) == value
            best = min(best, perf_counter() - start)
        return best

    # Sixteen times the length: 256 times the time where it is quadratic; 50 or so here.
    assert seconds(MAX_INTEGER_BITS) < 130 * seconds(MAX_INTEGER_BITS // 16)
