"""Limits: what is taken, what is cut, what is refused and with which words."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost import Limits, LimitsError, PythonRuntime, WasmhostError
from wasmhost.limits import _RANGES, DEFAULT_LIMITS, MAX_SCRIPT_MS, MAX_WALL_MS
from wasmhost.sandbox.engine import DEFAULT_STACK_BYTES, MAX_STACK_BYTES, MIN_STACK_BYTES

pytestmark = pytest.mark.spec("D1", "B1")

WHOLE = [name for name in _RANGES if not name.endswith("_ms")]
TIMES = ["script_ms", "wall_ms"]


def limits(**given: Any) -> Limits:
    return Limits(**given)


@pytest.mark.spec("B2.1", "B14.5")
def test_defaults() -> None:
    assert Limits() == DEFAULT_LIMITS
    assert (DEFAULT_LIMITS.script_ms, DEFAULT_LIMITS.wall_ms, DEFAULT_LIMITS.fuel) == (1_000, 600_000, None)
    assert DEFAULT_LIMITS.console_bytes == 52_428_800
    assert DEFAULT_LIMITS.stack_bytes == DEFAULT_STACK_BYTES
    assert (_RANGES["stack_bytes"][1], _RANGES["stack_bytes"][2]) == (MIN_STACK_BYTES, MAX_STACK_BYTES)


@pytest.mark.spec("B1.4")
@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("value", [0, 0.0, -1, -0.5, math.nan, math.inf, -math.inf])
def test_times_must_be_finite_and_above_zero(name: str, value: float) -> None:
    with pytest.raises(LimitsError, match=f"{name} must be (above 0|finite), not"):
        limits(**{name: value})


@pytest.mark.parametrize("name", sorted(_RANGES))
@pytest.mark.parametrize("value", ["1", b"1", True, [], object(), 1j])
def test_a_limit_is_a_number(name: str, value: object) -> None:
    with pytest.raises(LimitsError, match=f"{name} must be a"):
        limits(**{name: value})


@pytest.mark.parametrize("name", WHOLE)
def test_counts_are_whole_numbers_within_their_range(name: str) -> None:
    _, least, most = _RANGES[name]
    for value in (int(least), int(most)):
        assert getattr(limits(**{name: value}), name) == value
    with pytest.raises(LimitsError, match=f"{name} must be at least {int(least)}"):
        limits(**{name: int(least) - 1})
    with pytest.raises(LimitsError, match=f"{name} must be at most {int(most)}"):
        limits(**{name: int(most) + 1})
    with pytest.raises(LimitsError, match=f"{name} must be a whole number"):
        limits(**{name: float(least) + 0.5})


@pytest.mark.spec("B1.2", "B2.1")
@pytest.mark.parametrize(("name", "most"), [("script_ms", MAX_SCRIPT_MS), ("wall_ms", MAX_WALL_MS)])
@pytest.mark.parametrize("value", [600_001, 1e300, 10**400], ids=["little", "much", "no double"])
def test_times_above_the_maximum_are_cut_with_a_note(name: str, most: int, value: float) -> None:
    made = limits(**{name: value})
    assert getattr(made, name) == most == 600_000
    (note,) = made.notes
    assert name in note
    assert "600000" in note


def test_times_may_have_a_fraction() -> None:
    assert limits(script_ms=0.5).script_ms == 0.5
    assert limits(script_ms=600_000).notes == ()


def test_only_names_that_exist() -> None:
    with pytest.raises(TypeError):
        limits(timeout=3)


def test_a_cell_may_only_narrow() -> None:
    session = limits(script_ms=500, memory_bytes=2 << 20, fuel=1000)
    cell = session.narrowed(limits(script_ms=20, value_depth=3))
    assert (cell.script_ms, cell.value_depth, cell.memory_bytes, cell.fuel) == (20, 3, 2 << 20, 1000)
    assert session.narrowed(Limits()) == session
    for name, value in (("script_ms", 501), ("memory_bytes", 3 << 20), ("fuel", 1001), ("wall_ms", 10**9)):
        smaller = limits(**{name: 1 if name == "fuel" else 500 if name.endswith("ms") else 2 << 20})
        with pytest.raises(LimitsError, match=f"{name} of a cell can only be narrower"):
            smaller.narrowed(limits(**{name: value}))


def test_a_cell_may_give_fuel_where_the_session_has_none() -> None:
    assert Limits().narrowed(limits(fuel=5)).fuel == 5


def test_a_cell_has_no_stack_of_its_own() -> None:
    with pytest.raises(LimitsError, match="stack_bytes belongs to a whole session"):
        Limits().narrowed(limits(stack_bytes=1 << 20))
    assert Limits().narrowed(limits(stack_bytes=DEFAULT_STACK_BYTES)) == Limits()


def test_the_note_of_a_cut_reaches_the_limits_of_the_cell() -> None:
    (note,) = Limits(script_ms=10**9).narrowed(Limits()).notes
    assert "script_ms" in note


def test_limits_cannot_be_changed() -> None:
    made = Limits(script_ms=5)
    with pytest.raises(AttributeError, match="cannot be changed"):
        made.script_ms = 6
    with pytest.raises(AttributeError, match="cannot be changed"):
        del made.script_ms
    with pytest.raises(AttributeError):
        made.other = 1


def test_limits_are_values() -> None:
    assert Limits(script_ms=5) == Limits(script_ms=5) != Limits(script_ms=6)
    assert len({Limits(script_ms=5), Limits(script_ms=5.0), Limits()}) == 2
    assert repr(Limits(script_ms=5, calls=1)) == "Limits(script_ms=5, calls=1)"
    assert eval(repr(Limits(script_ms=5, calls=1))) == Limits(script_ms=5, calls=1)


@pytest.mark.parametrize("name", sorted(_RANGES))
@given(value=st.integers() | st.floats())
def test_any_number_is_taken_within_its_range_or_refused(name: str, value: float) -> None:
    _, least, most = _RANGES[name]
    try:
        made = limits(**{name: value})
    except LimitsError:
        return
    assert least <= getattr(made, name) <= most


def test_a_refused_limit_is_a_value_error_and_one_of_ours() -> None:
    assert issubclass(LimitsError, ValueError)
    assert issubclass(LimitsError, WasmhostError)


def test_limits_of_a_session_are_limits() -> None:
    with pytest.raises(TypeError, match="limits must be a Limits, not dict"):
        PythonRuntime(limits={"script_ms": 5})  # type: ignore[arg-type]
