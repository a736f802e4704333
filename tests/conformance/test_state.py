"""A9: state lives from cell to cell; reset drops it and frees what it held."""

import gc
import weakref
from pathlib import Path

import anyio
import pytest

from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from wasmhost import Limits, SessionBusy
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A9")


def private_bytes() -> int:
    """Memory of this process that belongs to it alone."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) * 1024


@pytest.mark.spec("A9.1")
def test_state_lives_across_cells(session: Session, guest: Guest, driver: Driver) -> None:
    cells = guest.pick(
        python=[
            "x = 1",
            "def f(): return x + 1",
            "class A:\n    n = 3",
            "import math",
            "x += 10",
            "[f(), A.n, math.floor(2.5)]",
        ],
        javascript=[
            "let x = 1",
            "function f() { return x + 1 }",
            "class A { static n = 3 }",
            "const { floor } = Math",
            "x += 10",
            "[f(), A.n, floor(2.5)]",
        ],
    )
    for cell in cells[:-1]:
        assert driver.run(session, cell).ok
    assert driver.value(session, cells[-1]) == [12, 3, 2]


def test_state_is_the_same_from_every_driver(session: Session, guest: Guest) -> None:
    from tests.support.drivers import DRIVERS

    assert session.run(guest.assign("x", "0")).ok
    for _ in range(2):
        for driver in DRIVERS.values():
            assert driver.run(session, "x += 1").ok
    assert session.run("x").value == 6


def test_a_failed_cell_keeps_what_it_did_before_its_error(session: Session, guest: Guest, driver: Driver) -> None:
    driver.run(session, f"{guest.assign('x', '5')}\n{guest.pick(python='1 / 0', javascript='null.x')}")
    assert driver.value(session, "x") == 5


@pytest.mark.spec("C10.1")
def test_declaring_again_in_a_later_cell(javascript: Session, driver: Driver) -> None:
    for code in ("const c = 1", "let c = 2", "class c {}", "function c() {}", "var c = 5", "const c = 6"):
        assert driver.run(javascript, code).ok, code
    assert driver.value(javascript, "c") == 6
    assert not driver.run(javascript, "const d = null.x").ok
    assert driver.value(javascript, "const d = 3\nd") == 3
    assert not driver.run(javascript, "let e = 1\nlet e = 2").ok


@pytest.mark.spec("A9.2")
def test_reset_drops_variables_modules_and_timers(session: Session, guest: Guest, driver: Driver) -> None:
    change = guest.pick(
        python="x = 1\nimport json, builtins\njson.dumps = builtins.len = None",
        javascript="var x = 1\nJSON.stringify = Array.prototype.map = null\nsetTimeout(() => console.log('late'), 1)",
    )
    assert driver.run(session, change).ok
    driver.reset(session)
    assert not driver.run(session, "x").ok
    check = guest.pick(
        python="import json\n[json.dumps([len('ab')])]",
        javascript="await new Promise((d) => setTimeout(d, 10))\nJSON.stringify([[1].map((n) => n + 1)])",
    )
    result = driver.run(session, check)
    assert result.ok, result.error
    assert result.value == guest.pick(python=["[2]"], javascript="[[2]]")
    assert result.stdout == ""


def test_reset_keeps_the_limits(guest: Guest, driver: Driver) -> None:
    with guest.runtime(limits=Limits(script_ms=40)) as session:
        driver.reset(session)
        result = driver.run(session, guest.spin)
        assert result.stop is not None
        assert result.stop.limit == "script"


def test_reset_of_a_session_that_did_nothing_yet(session: Session, driver: Driver) -> None:
    driver.reset(session)
    driver.reset(session)
    assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("A9.3")
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells the private memory")
def test_reset_gives_the_memory_back(session: Session, guest: Guest, driver: Driver) -> None:
    size = 64 << 20
    fill = guest.pick(python=f"x = b'x' * {size}\n1", javascript=f"var x = new Uint8Array({size}).fill(1)\n1")
    assert driver.value(session, "1") == 1
    before = private_bytes()
    assert driver.value(session, fill) == 1
    # The cell after makes a checkpoint, whose copy has to go as well.
    assert driver.value(session, "2") == 2
    assert private_bytes() - before > 0.9 * size
    driver.reset(session)
    gc.collect()
    assert private_bytes() - before < 0.2 * size
    assert driver.value(session, "1") == 1


@pytest.mark.spec("A9.3")
@pytest.mark.parametrize("end", ["close", "forget", "stop"])
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells the private memory")
def test_a_session_that_ends_gives_its_memory_back(guest: Guest, end: str) -> None:
    size = 32 << 20
    fill = guest.pick(python=f"x = b'x' * {size}\n1", javascript=f"var x = new Uint8Array({size}).fill(1)\n1")
    guest.runtime().run("1")
    gc.collect()
    before = private_bytes()
    session = guest.runtime()
    assert session.run(fill).ok
    assert private_bytes() - before > 0.9 * size
    alive = weakref.ref(session._instance)
    if end == "close":
        session.close()
    elif end == "stop":
        session.reset_blocking()
    del session
    gc.collect()
    assert alive() is None
    assert private_bytes() - before < 0.2 * size


def test_a_reset_while_a_cell_runs_is_refused_without_a_loop_and_stops_the_cell(session: Session, guest: Guest) -> None:
    import threading

    assert session.run(guest.assign("x", "1")).ok
    started = threading.Event()
    results = []

    def run() -> None:
        code = f"{guest.out('go')}\n{guest.spin}"
        results.append(session.run(code, limits=None, on_output=lambda *_: started.set()))

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(30)
    with pytest.raises(SessionBusy):
        session.reset_blocking()
    thread.join(30)
    (result,) = results
    assert result.stop is not None
    assert result.stop.limit == "cancelled"
    assert session.run("x").value == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_async_reset_stops_the_cell_that_runs_and_then_drops_the_state(
    session: Session, guest: Guest, backend: str
) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("x", "1"))).ok
        started = anyio.Event()
        results = []
        signal = anyio.from_thread

        async def run() -> None:
            code = f"{guest.out('go')}\n{guest.spin}"
            token = anyio.lowlevel.current_token()
            results.append(
                await session.execute(code, on_output=lambda *_: signal.run_sync(started.set, token=token) and None)
            )

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            with anyio.fail_after(30):
                await started.wait()
                await session.reset()
        (result,) = results
        assert result.stop is not None
        assert result.stop.limit == "cancelled"
        assert not (await session.execute("x")).ok

    anyio.run(main, backend=backend)
