"""What a cell printed before it ended is in its result, however it ended."""

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import pytest

from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from wasmhost import Limits, SessionBusy
from wasmhost.session.session import Session

from .tools import Result, ending, stopped

pytestmark = pytest.mark.spec("C4", "C5")

# No newline at the end, so a guest that hands over whole lines only has something left.
PRINTED = {
    "python": "import sys\nprint('line of out'); print('rest é', end='')\n"
    "print('line of err', file=sys.stderr); print('rest of err', end='', file=sys.stderr)\n",
    "javascript": "console.log('line of out'); console.log('rest é')\n"
    "console.error('line of err'); console.error('rest of err')\n",
}


def printed(result: Result, guest: Guest) -> None:
    """All that ``PRINTED`` prints is in the result, and a value that was never given is not."""
    end = guest.pick(python="", javascript="\n")
    assert result.stdout == f"line of out\nrest é{end}"
    # A guest may tell more there, after what was printed.
    assert result.stderr.startswith(f"line of err\nrest of err{end}")
    assert result.output_elided == {"stdout": 0, "stderr": 0}


LIMITED: dict[str, tuple[str | None, str | None, Limits, set[str]]] = {
    # name: Python, JavaScript (None: the endless loop of the guest), limits, endings
    "script": (None, None, Limits(script_ms=60), {"soft"}),
    "wall": (None, None, Limits(wall_ms=60), {"soft"}),
    "fuel": (None, None, Limits(fuel=40_000_000), {"fuel"}),
    "script, asleep": (
        "import time; time.sleep(100)",
        "await new Promise((done) => setTimeout(done, 100_000))",
        Limits(script_ms=60),
        {"soft"},
    ),
    "wall, asleep": (
        "import asyncio; await asyncio.sleep(100)",
        "await new Promise((done) => setTimeout(done, 100_000))",
        Limits(wall_ms=60),
        {"soft"},
    ),
    "memory": (
        "bytearray(1 << 30)",
        "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))",
        Limits(),
        {"error", "memory", "crash"},
    ),
    "memory, in small pieces": (
        "def f():\n    x = None\n    while True: x = [x, x, bytearray(100)]\nf()",
        "let x = null; for (;;) x = [x, x, 'y'.repeat(100)]",
        Limits(memory_bytes=96 << 20),
        {"error", "memory", "crash"},
    ),
    "stack": (
        "def f(n): return f(n + 1) + 1\nimport sys; sys.setrecursionlimit(10 ** 9); f(0)",
        "const f = (n) => f(n + 1) + 1; f(0)",
        Limits(),
        {"error", "stack"},
    ),
    "uncaught error": ("raise ValueError('no')", "throw new TypeError('no')", Limits(), {"error"}),
    "error in a callback": (
        "import asyncio\nasync def f(): raise ValueError('no')\nawait asyncio.gather(f())",
        "await Promise.all([(async () => { throw new Error('no') })()])",
        Limits(),
        {"error"},
    ),
    "deadlock": ("import asyncio; await asyncio.Future()", "await new Promise(() => {})", Limits(), {"deadlock"}),
    "exit": ("import os; os._exit(3)", "throw 3", Limits(), {"crash", "error"}),
    "SystemExit": ("raise SystemExit(2)", "throw undefined", Limits(), {"error"}),
}


@pytest.mark.spec("A3.2")
@pytest.mark.parametrize("name", LIMITED)
def test_it_is_in_the_result_of_a_cell_that_ends_badly(guest: Guest, driver: Driver, name: str) -> None:
    python, javascript, limits, endings = LIMITED[name]
    code = guest.pick(python=python, javascript=javascript) or guest.spin
    with guest.runtime(limits=Limits(script_ms=20_000, memory_bytes=128 << 20)) as session:
        result = driver.run(session, PRINTED[guest.name] + code, limits=limits)
        assert ending(result) in endings, result
        printed(result, guest)
        # Nothing of it comes again, and what the next cell prints stands alone.
        after = driver.run(session, guest.out("next"))
        assert (after.stdout, after.stderr) == ("next\n", "")


@pytest.mark.spec("C4.2", "D6.1")
@pytest.mark.parametrize("limits", [Limits(script_ms=60), Limits(wall_ms=60)], ids=["script", "wall"])
def test_it_is_in_the_result_of_a_hard_stop(session: Session, guest: Guest, driver: Driver, limits: Limits) -> None:
    result = driver.run(session, PRINTED[guest.name] + guest.spin_that_cannot_be_asked, limits=limits)
    assert stopped(result)[1:] == ("hard", "restored")
    printed(result, guest)
    after = driver.run(session, guest.out("next"))
    assert (after.stdout, after.stderr) == ("next\n", "")


@pytest.mark.spec("D6.1")
def test_going_back_prints_nothing_again(session: Session, guest: Guest, driver: Driver) -> None:
    # Going back runs the earlier cells once more; what they print was shown when they ran.
    heard: list[bytes] = []
    for number in range(3):
        assert driver.run(session, guest.out(f"cell {number}")).stdout == f"cell {number}\n"
    result = driver.run(
        session,
        PRINTED[guest.name] + guest.spin,
        limits=Limits(fuel=40_000_000),
        on_output=lambda _, data: heard.append(data),
    )
    assert stopped(result) == ("fuel", "hard", "restored")
    printed(result, guest)
    assert b"cell" not in b"".join(heard)


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize("way", ["cancelled", "closed"])
def test_it_is_in_the_result_of_a_run_that_another_thread_ends(guest: Guest, way: str, hard: bool) -> None:
    with guest.runtime(limits=Limits(script_ms=60_000)) as session:
        seen = threading.Event()
        results: list[Result] = []
        spin = guest.spin_that_cannot_be_asked if hard else guest.spin
        code = f"{PRINTED[guest.name]}{guest.err('go')}\n{spin}"

        def listener(stream: str, data: bytes) -> None:
            if b"go" in data:
                seen.set()

        thread = threading.Thread(target=lambda: results.append(session.run(code, on_output=listener)))
        thread.start()
        assert seen.wait(30)
        if way == "closed":
            session.close()
        else:
            with pytest.raises(SessionBusy):
                session.reset_blocking()
        thread.join(30)
        assert not thread.is_alive()
        assert stopped(results[0])[0] == way
        printed(results[0], guest)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("way", ["reset", "aclose"])
def test_it_is_in_the_result_of_an_execute_that_another_task_ends(guest: Guest, way: str, backend: str) -> None:
    results: list[Result] = []

    async def main() -> None:
        session = guest.runtime(limits=Limits(script_ms=60_000))
        seen = anyio.Event()
        token = anyio.lowlevel.current_token()
        code = f"{PRINTED[guest.name]}{guest.err('go')}\n{guest.spin}"

        def listener(stream: str, data: bytes) -> None:
            if b"go" in data:
                anyio.from_thread.run_sync(seen.set, token=token)

        async def cell() -> None:
            results.append(await session.execute(code, on_output=listener))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(cell)
                await seen.wait()
                end: Callable[[], Awaitable[Any]] = getattr(session, way)
                await end()
            await session.aclose()

    anyio.run(main, backend=backend)
    assert stopped(results[0])[0] == {"reset": "cancelled", "aclose": "closed"}[way]
    printed(results[0], guest)


@pytest.mark.spec("C5.1")
@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
def test_a_flood_before_a_stop_is_counted_to_its_last_byte(session: Session, guest: Guest, hard: bool) -> None:
    lines = guest.pick(
        python="for i in range(5_000): print(f'{i:09}')\n",
        javascript="for (let i = 0; i < 5_000; i++) console.log(String(i).padStart(9, '0'))\n",
    )
    spin = guest.spin_that_cannot_be_asked if hard else guest.spin
    result = session.run(lines + spin, limits=Limits(stdout_bytes=100, script_ms=300))
    assert stopped(result)[:2] == ("script", "hard" if hard else "soft")
    assert result.output_elided["stdout"] == 50_000 - 100
    assert result.stdout.startswith("000000000\n000000001\n")
    assert result.stdout.endswith("000004998\n000004999\n")
