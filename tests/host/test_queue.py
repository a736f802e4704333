"""Cells that are handed in without waiting, up to eight, in order."""

from typing import Any

import anyio
import pytest

from tests.support.guests import Guest
from wasmhost import CellSettled, Host, SessionBusy, SessionClosed

BACKENDS = ["asyncio", "trio"]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.spec("B21.1", "B21.3")
def test_cells_run_in_order_and_are_announced(guest: Guest, backend: str) -> None:
    async def scenario() -> None:
        with guest.runtime() as session:
            async with session.queue() as queue:
                numbers = [queue.submit(guest.assign("x", "0"))]
                numbers += [
                    queue.submit("x = x + 1; x" if guest.name == "javascript" else "x = x + 1\nx") for _ in range(7)
                ]
                assert numbers == [1, 2, 3, 4, 5, 6, 7, 8]
                events = [event async for event in queue]
            assert [(event.number, event.status) for event in events] == [(n, "settled") for n in numbers]
            assert [event.result and event.result.value for event in events[1:]] == [1, 2, 3, 4, 5, 6, 7]

    anyio.run(scenario, backend=backend)


@pytest.mark.spec("B21.2")
def test_the_ninth_is_refused_until_one_has_settled(guest: Guest, backend: str) -> None:
    async def scenario() -> None:
        go_on = anyio.Event()

        async def wait() -> int:
            await go_on.wait()
            return 1

        with guest.runtime(capabilities=[wait], policy="allow") as session:
            async with session.queue() as queue:
                for _ in range(8):
                    queue.submit("await wait()")
                for _ in range(3):
                    with pytest.raises(SessionBusy, match="8 cells of this queue are queued or running: wait until"):
                        queue.submit("1")
                assert queue.pending == 8
                go_on.set()
                assert (await anext(queue)).number == 1
                assert queue.submit("9") == 9
                assert [event.number async for event in queue] == [2, 3, 4, 5, 6, 7, 8, 9]

    anyio.run(scenario, backend=backend)


@pytest.mark.spec("B21.4")
@pytest.mark.parametrize("kind", ["plain", "async", "raises"])
def test_a_hook_may_withhold_a_result(guest: Guest, backend: str, kind: str) -> None:
    seen: list[Any] = []

    def plain(event: CellSettled) -> bool:
        seen.append(event.result and event.result.value)
        return event.number == 2

    async def asynchronous(event: CellSettled) -> bool:
        await anyio.sleep(0)
        return plain(event)

    def raises(event: CellSettled) -> bool:
        if plain(event):
            raise RuntimeError("of the hook")
        return False

    async def scenario() -> None:
        hooks: dict[str, Any] = {"plain": plain, "async": asynchronous, "raises": raises}
        hook = hooks[kind]
        with guest.runtime() as session:
            async with session.queue(hook) as queue:
                for number in range(1, 4):
                    queue.submit(str(number))
                events = [(event.number, event.status, event.result and event.result.value) async for event in queue]
        assert events == [(1, "settled", 1), (2, "withheld", None), (3, "settled", 3)]
        assert seen == [1, 2, 3]

    anyio.run(scenario, backend=backend)


def test_leaving_waits_and_leaving_by_an_exception_cancels(guest: Guest, backend: str) -> None:
    async def scenario() -> None:
        with guest.runtime() as session:
            async with session.queue() as queue:
                queue.submit(guest.assign("x", "1"))
                queue.submit("x = 2")
            assert (await session.execute("x")).value == 2
            with pytest.raises(SessionClosed, match="handed in inside of the queue's"):
                queue.submit("1")
            left = False
            try:
                async with session.queue() as queue:
                    queue.submit(guest.spin)
                    queue.submit("x = 3")
                    await anyio.sleep(0.05)
                    raise KeyError
            except KeyError:
                left = True
            assert left
            assert (await session.execute("x")).value == 2

    anyio.run(scenario, backend=backend)


def test_a_closed_session_is_told(guest: Guest, backend: str) -> None:
    async def scenario() -> None:
        session = guest.runtime()
        async with session.queue() as queue:
            await session.aclose()
            queue.submit("1")
            events = [event async for event in queue]
        assert events[0].result is None
        assert isinstance(events[0].error, SessionClosed)

    anyio.run(scenario, backend=backend)


@pytest.mark.spec("B21.1", "B3.3")
def test_queues_of_a_host_store_each_cell(guest: Guest) -> None:
    async def scenario() -> None:
        with Host() as host:
            session = host.session(language=guest.name)
            async with session.queue() as queue:
                queue.submit(guest.assign("x", "1"))
                queue.submit("x = x + 1")
            host.evict_idle(0)
            assert (await session.execute("x")).value == 2

    anyio.run(scenario)
