"""Budgets: script time runs only between start and stop, wall time always."""

import pytest

from wasmhost.sandbox.meter import UNLIMITED_FUEL, Meter

pytestmark = pytest.mark.spec("B1", "B2")


@pytest.mark.spec("B1.3")
def test_script_time_is_charged_only_while_the_guest_is_active() -> None:
    meter = Meter(1000, 100, 10_000, None)
    assert meter.fuel == UNLIMITED_FUEL
    meter.start(1000)
    assert meter.script_used(1040) == 40
    meter.stop(1050)
    assert meter.script_used(5000) == 50
    assert meter.spent(5000) is None
    meter.start(5000)
    assert meter.spent(5049) is None
    assert meter.spent(5050) == "script"


@pytest.mark.spec("B2.1")
def test_wall_time_is_charged_always() -> None:
    meter = Meter(1000, 10_000, 500, None)
    assert meter.spent(1499) is None
    assert meter.spent(1500) == "wall"


def test_what_is_left_is_the_nearer_of_the_two() -> None:
    meter = Meter(0, 100, 150, 5)
    meter.start(0)
    assert meter.left(30) == 70
    meter.stop(30)
    assert meter.left(100) == 50
    assert meter.left(1_000) == 0
    assert meter.fuel == 5
