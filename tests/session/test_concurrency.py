"""Whose turn it is, with real guests: order, refusal, cancellation, closing while a cell runs, many sessions."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.support.child import run_python
from tests.support.drivers import BACKENDS
from tests.support.guests import GUESTS, Guest
from wasmhost import Limits, RuntimeFailure, RuntimeSuccess, SessionBusy, SessionClosed
from wasmhost.sandbox.imports import current
from wasmhost.session.session import Session

Result = RuntimeSuccess | RuntimeFailure

pytestmark = pytest.mark.parametrize("backend", BACKENDS)


class Started:
    """An event of the running loop that a cell sets by printing: what it prints is passed on while it runs."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    def __call__(self, stream: str, data: bytes) -> None:
        anyio.from_thread.run_sync(self._event.set, token=self._token)

    async def wait(self) -> None:
        with anyio.fail_after(30):
            await self._event.wait()


def spinning(guest: Guest) -> str:
    return f"{guest.out('go')}\n{guest.spin}"


def nothing_runs() -> bool:
    return not current


def run_async(function: Callable[[], Awaitable[None]], backend: str) -> None:
    async def bounded() -> None:
        with anyio.fail_after(60):
            await function()

    anyio.run(bounded, backend=backend)
    assert nothing_runs()


@pytest.mark.spec("B21.1", "B22.1")
def test_cells_run_in_the_order_in_which_they_were_given(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("seen", "[]"))).ok
        results: list[Any] = [None] * 8

        async def one(number: int) -> None:
            add = guest.pick(python=f"seen.append({number})\nseen[:]", javascript=f"seen.push({number});[...seen]")
            results[number] = (await session.execute(add)).value

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(one, number)
                # Each has asked for its turn before the next one starts.
                await anyio.lowlevel.checkpoint()
        assert results[-1] is not None
        order = max(results, key=len)
        assert sorted(order) == list(range(8))
        for number, seen in enumerate(results):
            assert seen == order[: len(seen)]
            assert seen[-1] == number

    run_async(main, backend)


@pytest.mark.spec("B21.2")
def test_the_ninth_is_refused_and_the_eight_go_on(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        started = Started()
        results: list[Result] = []

        async def first() -> None:
            results.append(await session.execute(spinning(guest), limits=Limits(script_ms=300), on_output=started))

        async def other() -> None:
            results.append(await session.execute("1 + 1"))

        async with anyio.create_task_group() as group:
            group.start_soon(first)
            await started.wait()
            for _ in range(7):
                group.start_soon(other)
            await anyio.sleep(0)
            while len(session._turn._waiting) < 7:
                await anyio.sleep(0.001)
            with pytest.raises(SessionBusy, match="8 cells"):
                await session.execute("1")
            with pytest.raises(SessionBusy):
                session.run("1")
        assert [result.ok for result in results] == [False] + [True] * 7

    run_async(main, backend)


@pytest.mark.spec("B22.1")
def test_run_and_execute_are_never_mixed(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        started = Started()
        results: list[Result] = []

        async def one() -> None:
            results.append(await session.execute(spinning(guest), limits=Limits(script_ms=100), on_output=started))

        async with anyio.create_task_group() as group:
            group.start_soon(one)
            await started.wait()
            with pytest.raises(SessionBusy):
                session.run("1")
        assert len(results) == 1
        assert session.run("1 + 1").value == 2
        assert (await session.execute("2 + 2")).value == 4

    run_async(main, backend)


def test_the_event_loop_goes_on_while_a_guest_runs(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        started = Started()
        ticks = 0

        async def one() -> None:
            await session.execute(spinning(guest), limits=Limits(script_ms=400), on_output=started)
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(one)
            await started.wait()
            while True:
                await anyio.sleep(0.005)
                ticks += 1
        assert ticks > 10

    run_async(main, backend)


@pytest.mark.spec("C4.5")
def test_cancelling_stops_the_guest_and_keeps_the_session(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("kept", "7"))).ok
        for _ in range(5):
            started = Started()
            async with anyio.create_task_group() as group:
                group.start_soon(partial(session.execute, spinning(guest), on_output=started))
                await started.wait()
                group.cancel_scope.cancel()
            # The guest has stopped by the time that the scope is left.
            assert nothing_runs()
        assert (await session.execute("kept")).value == 7

    run_async(main, backend)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("import asyncio; await asyncio.sleep(100)", "await new Promise((done) => setTimeout(done, 100_000))"),
        ("import time; time.sleep(100)", "for (;;) await new Promise((done) => setTimeout(done, 10))"),
    ],
)
def test_cancelling_a_guest_that_waits(
    session: Session, guest: Guest, python: str, javascript: str, backend: str
) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("kept", "7"))).ok
        started = Started()
        code = f"{guest.out('go')}\n{guest.pick(python=python, javascript=javascript)}"
        began = time.monotonic()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: session.execute(code, limits=Limits(wall_ms=60_000), on_output=started))
            await started.wait()
            group.cancel_scope.cancel()
        assert time.monotonic() - began < 20
        assert nothing_runs()
        assert (await session.execute("kept")).value == 7

    run_async(main, backend)


@pytest.mark.spec("C4", "D6")
@pytest.mark.parametrize(
    "code",
    [
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        "import asyncio\nwhile True:\n  try: await asyncio.sleep(1)\n  except BaseException: pass",
    ],
)
def test_cancelling_a_guest_that_catches_everything(python: Session, code: str, backend: str) -> None:
    async def main() -> None:
        assert (await python.execute("kept = 7")).ok
        started = Started()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: python.execute(f"kept = 8\nprint('go')\n{code}", on_output=started))
            await started.wait()
            group.cancel_scope.cancel()
        assert nothing_runs()
        # It may have been stopped before its first `try`: then softly, with what it did.
        assert (await python.execute("kept")).value in (7, 8)

    run_async(main, backend)


def test_a_cell_that_is_cancelled_in_the_queue_never_runs(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("x", "1"))).ok
        started = Started()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: session.execute(spinning(guest), limits=Limits(script_ms=200), on_output=started))
            await started.wait()
            with anyio.move_on_after(0.02) as scope:
                await session.execute(guest.assign("x", "2"))
            assert scope.cancelled_caught
            assert (await session.execute("x")).value == 1

    run_async(main, backend)


def test_a_scope_that_is_cancelled_already_runs_nothing(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        assert (await session.execute(guest.assign("x", "1"))).ok
        with anyio.CancelScope() as scope:
            scope.cancel()
            await session.execute(guest.assign("x", "2"))
        assert scope.cancelled_caught
        assert (await session.execute("x")).value == 1

    run_async(main, backend)


def test_deadlines_of_the_event_loop_hold(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        began = time.monotonic()
        with anyio.move_on_after(0.05) as scope:
            await session.execute(guest.spin, limits=Limits())
        assert scope.cancelled_caught
        assert time.monotonic() - began < 20
        assert (await session.execute("1 + 1")).value == 2

    with guest.runtime(limits=Limits(script_ms=60_000)) as session:
        run_async(main, backend)


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_task_that_is_cancelled_twice_leaves_no_guest_behind(guest: Guest, stubborn: bool, backend: str) -> None:
    """asyncio's own ``cancel`` goes through shields: a second one must not let go of a guest that still runs."""
    if backend != "asyncio":
        return
    code = spinning(guest)
    if stubborn:
        if guest.name != "python":
            return
        code = "print('go')\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass"

    async def main() -> None:
        with guest.runtime(limits=Limits(script_ms=60_000)) as session:
            started = Started()
            task = asyncio.get_running_loop().create_task(session.execute(code, on_output=started))
            await started.wait()
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await task
            assert nothing_runs()
            assert (await session.execute("1 + 1")).value == 2

    run_async(main, backend)


def test_a_loop_that_is_closed_over_a_running_cell_leaves_the_session_safe(guest: Guest, backend: str) -> None:
    """The task is never awaited to its end. The next cell must not enter a guest that still runs."""
    if backend != "asyncio":
        return
    child = run_python(
        f"""
        import asyncio, gc, logging, sys, time, warnings
        from tests.support.guests import GUESTS
        from wasmhost import Limits, SessionBusy
        logging.disable()
        sys.unraisablehook = lambda _: None
        guest = GUESTS["{guest.name}"]
        session = guest.runtime(limits=Limits(script_ms=1_500))
        session.run(guest.assign("x", "1"))
        loop = asyncio.new_event_loop()
        task = loop.create_task(session.execute(guest.spin))
        loop.run_until_complete(asyncio.sleep(0.2))
        loop.close()
        task._log_destroy_pending = False
        del task, loop
        deadline = time.monotonic() + 20
        while True:
            gc.collect()
            try:
                result = session.run("x")
                break
            except SessionBusy:
                assert time.monotonic() < deadline
                time.sleep(0.01)
        assert result.value == 1, result
        print("well")
        """
    )
    assert child.stdout == "well\n"


@pytest.mark.parametrize("way", ["close", "aclose"])
def test_closing_while_a_cell_runs(guest: Guest, way: str, backend: str) -> None:
    async def main() -> None:
        session = guest.runtime(limits=Limits(script_ms=60_000))
        started = Started()
        results: list[Result] = []
        refused: list[BaseException] = []

        async def first() -> None:
            results.append(await session.execute(spinning(guest), on_output=started))

        async def queued() -> None:
            try:
                await session.execute("1")
            except SessionClosed as error:
                refused.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(first)
            await started.wait()
            group.start_soon(queued)
            while not session._turn._waiting:
                await anyio.sleep(0.001)
            if way == "close":
                session.close()
            else:
                await session.aclose()
                assert nothing_runs()
        (result,) = results
        assert not result.ok
        assert result.stop is not None
        assert result.stop.limit == "closed"
        assert len(refused) == 1
        assert session._instance is None
        with pytest.raises(SessionClosed):
            await session.execute("1")
        await session.aclose()

    run_async(main, backend)


def test_closing_from_another_thread_ends_a_blocking_run(guest: Guest, backend: str) -> None:
    session = guest.runtime(limits=Limits(script_ms=60_000))
    started = threading.Event()
    results: list[Result] = []

    def run() -> None:
        results.append(session.run(spinning(guest), on_output=lambda *_: started.set()))

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(30)
    session.close()
    thread.join(30)
    assert not thread.is_alive()
    assert results[0].stop is not None
    assert results[0].stop.limit == "closed"
    assert session._instance is None
    assert nothing_runs()


def test_many_sessions_in_one_loop(guest: Guest, backend: str) -> None:
    async def main() -> None:
        results: dict[int, Any] = {}

        async def one(number: int) -> None:
            async with guest.runtime() as session:
                await session.execute(guest.assign("x", str(number)))
                for _ in range(5):
                    await session.execute("x += 1")
                results[number] = (await session.execute("x")).value

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(one, number)
        assert results == {number: number + 5 for number in range(20)}

    run_async(main, backend)


def test_guests_that_wait_do_not_keep_others_from_running(backend: str) -> None:
    # More of them than any pool of threads would have: a guest that waits holds no thread.
    async def main() -> None:
        sessions = [GUESTS["javascript"].runtime(limits=Limits(script_ms=60_000)) for _ in range(60)]
        waiting = "await new Promise((done) => setTimeout(done, 400))\n7"
        results: list[Result] = []

        async def one(session: Session) -> None:
            results.append(await session.execute(waiting))

        before = threading.active_count()
        began = time.monotonic()
        async with anyio.create_task_group() as group:
            for session in sessions:
                group.start_soon(one, session)
        assert [result.value for result in results] == [7] * 60
        assert time.monotonic() - began < 15
        assert threading.active_count() <= before + 2
        for session in sessions:
            session.close()

    run_async(main, backend)
