"""Time of calls: what is charged, what bounds a call, and what becomes of one that does not end."""

import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import CallRecord, Limits, capability
from wasmhost.capabilities.workers import workers

# Of an asynchronous call that was ended: whether its coroutine had begun by then is the event loop's business.
ENDED_EARLY = {"cancelled", "never-started"}


class Hanging:
    """A synchronous capability that returns when it is told to."""

    def __init__(self, **options: Any) -> None:
        self.release = threading.Event()
        self.entered = threading.Event()
        self.ended = threading.Event()

        @capability(**options)
        def hang() -> str:
            self.entered.set()
            self.release.wait(60)
            self.ended.set()
            return "late"

        self.function = hang

    def __enter__(self) -> "Hanging":
        return self

    def __exit__(self, *error: object) -> None:
        self.release.set()


async def nap(seconds: float) -> str:
    await anyio.sleep(seconds)
    return "slept"


def nap_sync(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


@pytest.mark.spec("B1.5", "B1.3")
def test_the_time_of_a_call_is_not_script_time(guest: Guest, driver: Driver) -> None:
    limits = Limits(script_ms=100)
    with guest.runtime(capabilities=[nap, nap_sync], policy="allow", limits=limits) as session:
        for expression in (call(guest, "nap", seconds=0.2), call(guest, "nap_sync", sync=True, seconds=0.2)):
            result = driver.run(session, expression)
            assert result.ok, result.error
            assert result.wall_ms >= 200
            assert result.script_ms < 100


@pytest.mark.spec("B1.5")
def test_code_that_runs_is_charged_while_a_call_is_in_flight(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="import asyncio\nt = asyncio.create_task(tools.nap(seconds=30))\n"
        "await asyncio.sleep(0)\nwhile True: pass",
        javascript="tools.nap({ seconds: 30 }); for (;;) {}",
    )
    with guest.runtime(capabilities=[nap], policy="allow", limits=Limits(script_ms=50)) as session:
        result = driver.run(session, code)
        assert not result.ok
        assert result.stop is not None
        assert (result.stop.limit, result.stop.layer) == ("script", "soft")
        assert {record.state for record in result.calls} <= ENDED_EARLY
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("B2.3")
@pytest.mark.parametrize("kind", ["async", "sync"])
def test_the_wall_clock_holds_while_a_capability_hangs(guest: Guest, driver: Driver, kind: str) -> None:
    with (
        Hanging() as hanging,
        guest.runtime(
            capabilities=[nap, hanging.function], policy="allow", limits=Limits(wall_ms=100, script_ms=50)
        ) as session,
    ):
        code = call(guest, "nap", seconds=60) if kind == "async" else call(guest, "hang", sync=True)
        result = driver.run(session, code)
        assert not result.ok
        assert result.stop is not None
        assert result.stop.limit == "wall"
        assert result.wall_ms < 5_000
        (record,) = result.calls
        # A thread cannot be stopped: what it does may still happen.
        assert record.state == ("cancelled" if kind == "async" else "unknown")
        assert driver.value(session, "1 + 1") == 2


def test_a_sync_call_that_was_given_up_frees_its_place_when_it_returns(guest: Guest) -> None:
    _until(lambda: workers.abandoned == 0)
    with Hanging() as hanging:
        with guest.runtime(capabilities=[hanging.function], policy="allow", limits=Limits(wall_ms=50)) as session:
            session.run(call(guest, "hang", sync=True))
            assert workers.abandoned == 1
        hanging.release.set()
        assert hanging.ended.wait(10)
    _until(lambda: workers.abandoned == 0)


@pytest.mark.spec("C5")
def test_calls_that_are_given_up_one_by_one_take_no_more_than_a_sessions_share_of_threads(
    guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wasmhost.capabilities.effects.MAX_ABANDONED_OF_ONE", 3)
    _until(lambda: workers.abandoned == 0)
    with Hanging() as hanging:
        options: dict[str, Any] = {"capabilities": [hanging.function], "policy": "allow", "limits": Limits(wall_ms=50)}
        with guest.runtime(**options) as session, guest.runtime(**options) as other:
            for _ in range(3):
                assert session.run(call(guest, "hang", sync=True)).calls[0].state == "unknown"
            refused = session.run(call(guest, "hang", sync=True))
            assert "3 calls of this session were given up and still run" in (refused.error or "")
            assert workers.abandoned == 3
            # The share of others is theirs.
            assert other.run(call(guest, "hang", sync=True)).calls[0].state == "unknown"
            assert workers.abandoned == 4
        hanging.release.set()
    _until(lambda: workers.abandoned == 0)


def _until(what: Callable[[], bool]) -> None:
    for _ in range(1000):
        if what():
            return
        time.sleep(0.01)
    raise AssertionError("it has not come in ten seconds")


@pytest.mark.spec("B10.6")
def test_an_async_capability_is_cancelled_at_its_timeout(guest: Guest, driver: Driver) -> None:
    ended: list[str] = []

    @capability(timeout=0.05)
    async def slow() -> None:
        try:
            await anyio.sleep(60)
        finally:
            ended.append("seen to its end")

    with guest.runtime(capabilities=[slow], policy="allow") as session:
        result = driver.run(session, caught(guest, call(guest, "slow")))
        kind, message = result.value
    assert kind == "TimeoutError"
    assert "timeout of 0.05 s" in message
    assert ended == ["seen to its end"]
    assert result.calls[0].state == "cancelled"


@pytest.mark.spec("B13.3", "B13.1")
@pytest.mark.parametrize("kind", ["async", "sync"])
def test_the_watchdog_gives_up_what_does_not_end(
    guest: Guest, driver: Driver, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The five seconds of the row are a constant of the module; the arithmetic is tested by itself.
    monkeypatch.setattr("wasmhost.capabilities.capability._WATCHDOG_EXTRA_MS", 50)

    @capability(timeout=0.02)
    async def stubborn() -> None:
        # Not for ever: an event loop that ends waits for its tasks, whoever started them.
        until = time.monotonic() + 1
        while time.monotonic() < until:
            try:
                with anyio.CancelScope(shield=True):
                    await anyio.sleep(0.01)
            except anyio.get_cancelled_exc_class():
                pass

    with (
        Hanging(timeout=0.02) as hanging,
        guest.runtime(capabilities=[stubborn, hanging.function], policy="allow") as session,
    ):
        expression = call(guest, "stubborn") if kind == "async" else call(guest, "hang", sync=True)
        result = driver.run(session, caught(guest, expression))
    error, message = result.value
    assert error == "TimeoutError"
    assert ("stubborn" if kind == "async" else "hang") in message
    assert "watchdog of 80 ms" in message
    assert "native timeout 0.02 s" in message
    assert result.calls[0].state == "unknown"


@pytest.mark.spec("B13.2")
def test_the_watchdog_is_not_installed_where_the_wall_clock_comes_first(guest: Guest, driver: Driver) -> None:
    limits = Limits(wall_ms=200)
    with (
        Hanging(timeout=0.01) as hanging,
        guest.runtime(capabilities=[hanging.function], policy="allow", limits=limits) as session,
    ):
        result = driver.run(session, call(guest, "hang", sync=True))
    assert result.stop is not None
    assert result.stop.limit == "wall"
    assert result.calls[0].error is not None
    assert "watchdog" not in result.calls[0].error[1]


@pytest.mark.spec("B15.1", "B15.2", "B15.3", "B23")
def test_calls_that_the_cell_leaves_behind_are_cancelled_and_told(guest: Guest, driver: Driver) -> None:
    written: list[str] = []

    async def write(path: str) -> None:
        await anyio.sleep(0.3)
        written.append(path)

    code = guest.pick(
        python="import asyncio\nt = asyncio.create_task(tools.write(path='a'))\nawait asyncio.sleep(0)\n'done'",
        javascript="tools.write({ path: 'a' }); 'done'",
    )
    with guest.runtime(capabilities=[write], policy="allow") as session:
        result = driver.run(session, code)
        assert result.ok, result.error
        assert result.value == "done"
        (record,) = result.calls
        assert record.state in ENDED_EARLY
        assert result.stderr == f"[not awaited: write (call {record.id})]\n"
        assert driver.value(session, "1 + 1") == 2
        time.sleep(0.4)
    assert written == []


@pytest.mark.spec("B15.1", "B23")
def test_a_sync_call_that_is_left_behind_is_waited_for_a_moment_and_else_unknown(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="import asyncio\nt = asyncio.create_task(tools.hang.start())\nawait asyncio.sleep(0)\n1",
        javascript="tools.hang({}); 1",
    )
    with Hanging() as hanging, guest.runtime(capabilities=[hanging.function, nap_sync], policy="allow") as session:
        result = driver.run(session, code)
        assert result.ok
        # Whether a thread had taken it on by then decides; nothing else may.
        assert result.calls[0].state == ("unknown" if hanging.entered.is_set() else "never-started")
        short = code.replace("hang.start()", "nap_sync.start(seconds=0.001)").replace(
            "hang({})", "nap_sync({ seconds: 0.001 })"
        )
        assert driver.run(session, short).calls[0].state in ("completed", "never-started")


@pytest.mark.spec("B23")
def test_after_a_failure_each_call_says_what_became_of_it(guest: Guest, driver: Driver) -> None:
    async def good() -> int:
        return 1

    async def bad() -> None:
        raise ValueError("no")

    @capability(name="forbidden")
    async def forbidden() -> None: ...

    from wasmhost import Policy

    code = guest.pick(
        python="import asyncio\nawait tools.good()\nt = asyncio.create_task(tools.nap(seconds=60))\n"
        "await asyncio.sleep(0)\n"
        "for c in (tools.bad, tools.forbidden):\n    try: await c()\n    except Exception: pass\n1 / 0",
        javascript="await tools.good({}); tools.nap({ seconds: 60 });"
        "for (const c of [tools.bad, tools.forbidden]) { try { await c({}) } catch {} } throw new Error('end')",
    )
    with guest.runtime(
        capabilities=[good, bad, forbidden, nap], policy=Policy(allow=["*"], deny=["forbidden"])
    ) as session:
        result = driver.run(session, code)
    assert not result.ok
    states = {record.name: record.state for record in result.calls}
    assert states.pop("nap") in ENDED_EARLY
    assert states == {"good": "completed", "bad": "failed", "forbidden": "denied"}


def test_a_coroutine_that_nothing_awaited_is_told_as_never_started(driver: Driver) -> None:
    from wasmhost import PythonRuntime

    with PythonRuntime(capabilities=[nap], policy="allow") as session:
        result = driver.run(session, "tools.nap(seconds=1)\n5")
    assert result.value == 5
    (record,) = result.calls
    assert (record.name, record.state, record.executed) == ("nap", "never-started", False)
    assert any("nap" in note for note in result.notes)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cancelling_execute_cancels_its_calls(guest: Guest, backend: str) -> None:
    ended: list[str] = []
    records: list[CallRecord] = []

    async def slow() -> None:
        try:
            await anyio.sleep(60)
        finally:
            ended.append("yes")

    async def main() -> None:
        with guest.runtime(capabilities=[slow], policy="allow", on_event=lambda e: records.append(e.call)) as session:
            with anyio.move_on_after(0.1) as scope:
                await session.execute(call(guest, "slow"))
            assert scope.cancelled_caught
            assert ended == ["yes"]
            assert records[-1].state == "cancelled"
            result = await session.execute("1 + 1")
            assert result.value == 2
            assert result.state == "kept"

    anyio.run(main, backend=backend)


def test_a_hundred_guests_that_wait_for_sync_capabilities_do_not_block_another(guest: Guest) -> None:
    gate = threading.Barrier(101)

    def meet() -> str:
        gate.wait(60)
        return "met"

    def plain(n: int) -> int:
        return n + 1

    values: list[Any] = []

    async def one() -> None:
        with guest.runtime(capabilities=[meet], policy="allow") as session:
            result = await session.execute(call(guest, "meet", sync=True))
            values.append(result.value)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(one)
            with guest.runtime(capabilities=[plain], policy="allow") as session:
                result = await session.execute(call(guest, "plain", sync=True, n=1))
                assert result.value == 2
            # All hundred must be inside at once for this to pass.
            await anyio.to_thread.run_sync(lambda: gate.wait(60))

    anyio.run(main)
    assert values == ["met"] * 100


def test_a_call_that_the_guest_cancels_itself_is_not_told_as_left_behind(driver: Driver) -> None:
    from wasmhost import PythonRuntime

    with PythonRuntime(capabilities=[nap], policy="allow") as session:
        code = (
            "import asyncio\ntry:\n    await asyncio.wait_for(tools.nap(seconds=60), 0.01)\n"
            "except TimeoutError:\n    out = 'too slow'\nout"
        )
        result = driver.run(session, code)
    assert result.value == "too slow"
    assert result.stderr == ""
    assert {record.state for record in result.calls} <= ENDED_EARLY
