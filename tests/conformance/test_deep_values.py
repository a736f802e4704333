"""What a value holds of what is still to come is awaited, in depth."""

import anyio
import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest


async def later(n: int) -> int:
    await anyio.sleep(0.001)
    return n * 2


VALUES = {
    "call": ("later(2)", "later(2)", 4),
    "list": ("[later(1), 5, later(3)]", "[later(1), 5, later(3)]", [2, 5, 6]),
    "object": (
        "{'a': later(1), 'b': {'c': [later(2)]}}",
        "({a: later(1), b: {c: [later(2)]}})",
        {"a": 2, "b": {"c": [4]}},
    ),
    "variable": ("x = later(4)\nx", "const x = later(4); x", 8),
    "own function": (
        "async def g(n): return [n, later(n)]\n[g(1), g(2)]",
        "const g = async n => [n, later(n)]; [g(1), g(2)]",
        [[1, 2], [2, 4]],
    ),
    "after another": ("await later(1)\n[later(3)]", "await later(1); [later(3)]", [6]),
    "twice the same": ("x = later(5)\n[x, x]", "const x = later(5); [x, x]", [10, 10]),
    "nothing to await": ("[1, {'a': [2]}]", "[1, {a: [2]}]", [1, {"a": [2]}]),
}


@pytest.mark.spec("B7.2")
@pytest.mark.parametrize("kind", VALUES)
def test_a_value_is_resolved_in_depth(guest: Guest, driver: Driver, kind: str) -> None:
    python, javascript, value = VALUES[kind]
    with guest.runtime(capabilities=[later], policy="allow") as session:
        result = driver.run(session, guest.pick(python=python, javascript=javascript))
        assert result.value == value, result.error
        assert all(call.state == "completed" for call in result.calls)
        assert result.stderr == ""


@pytest.mark.spec("B7.2")
def test_they_are_awaited_at_once(guest: Guest, driver: Driver) -> None:
    most = running = 0

    async def slow() -> int:
        nonlocal most, running
        running += 1
        most = max(most, running)
        while most < 3:
            await anyio.sleep(0.001)
        running -= 1
        return 1

    with guest.runtime(capabilities=[slow], policy="allow") as session:
        assert driver.value(session, "[slow(), slow(), slow()]") == [1, 1, 1]


@pytest.mark.spec("B7.2")
def test_one_that_fails_is_the_failure_of_the_cell(guest: Guest, driver: Driver) -> None:
    async def fails() -> int:
        raise ValueError("no")

    with guest.runtime(capabilities=[fails, later], policy="allow") as session:
        result = driver.run(session, "[later(1), fails()]")
        assert not result.ok
        assert "no" in (result.error or "")
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("B7.2")
def test_a_task_of_python_is_no_value_to_wait_for(guest: Guest, driver: Driver) -> None:
    if guest.name != "python":
        pytest.skip("promises of JavaScript are awaited")
    with guest.runtime(capabilities=[later], policy="allow") as session:
        result = driver.run(session, "import asyncio\nasyncio.create_task(asyncio.sleep(30), name='rests')")
        assert "Task" in result.value_text
        assert "rests" in result.notes[0]


@pytest.mark.spec("B7.2")
def test_what_never_comes_is_told(guest: Guest, driver: Driver) -> None:
    never = guest.pick(python="import asyncio\n[asyncio.Future()]", javascript="[new Promise(() => {})]")
    with guest.runtime() as session:
        result = driver.run(session, never)
        if guest.name == "python":
            assert result.error_type == "DeadlockError"
        assert driver.value(session, "1 + 1") == 2
