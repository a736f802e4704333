"""Budgets: script time runs only between start and stop, wall time always."""

import pytest

from wasmhost.sandbox.meter import TICK_NS, UNLIMITED_FUEL, Meter

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


@pytest.mark.spec("C4.1")
def test_slices_follow_how_fast_the_guest_uses_its_fuel_and_end_with_the_nearest_limit() -> None:
    meter = Meter(0, 10**12, 10**12, None)
    meter.start(0)
    size = meter.first()
    cpu = now = 1
    meter.next(size, now, cpu)
    sizes = []
    # A guest that uses 2 units in a nanosecond, and then one that takes 100 nanoseconds for each.
    for fuel_of_a_ns in (2, 0.01):
        for _ in range(30):
            cpu += int(size / fuel_of_a_ns)
            now = cpu
            size = meter.next(size, now, cpu)
        sizes.append(size)
    assert sizes == [2 * TICK_NS, 1 << 17]
    # What waits for other threads uses no CPU time and is not taken for slow.
    for _ in range(30):
        cpu += size // 2
        now += 10**9
        size = meter.next(size, now, cpu)
    assert size == 2 * TICK_NS
    meter.script_ns = meter.script_used(now) + TICK_NS // 4
    assert meter.next(size, now, cpu + size // 2) == TICK_NS // 2


@pytest.mark.spec("D2.3")
def test_a_slice_is_never_more_than_the_fuel_that_is_left() -> None:
    meter = Meter(0, 10**12, 10**12, 1_000)
    meter.start(0)
    assert meter.first() == 1_000
    meter.fuel_used = 400
    assert meter.first() == 600
    assert meter.next(400, 10, 10) == 600
    meter.fuel_used = 1_000
    assert meter.next(600, 20, 20) == 0
