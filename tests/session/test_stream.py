"""Output followed while a cell runs: the stream, slow and absent readers, and listeners that raise (row D10)."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from wasmhost import Limits, SessionBusy
from wasmhost.session.session import Session
from wasmhost.session.stream import BUFFER_BYTES


def on(backend: str, main: Callable[[], Awaitable[Any]]) -> Any:
    return anyio.run(main, backend=backend)


def lines(guest: Guest, count: int, text: str = "x" * 99) -> str:
    return str(
        guest.pick(
            python=f"for i in range({count}): print({text!r})",
            javascript=f"for (let i = 0; i < {count}; i++) console.log({text!r})",
        )
    )


@pytest.mark.spec("D10.1")
@pytest.mark.parametrize("backend", BACKENDS)
def test_output_comes_while_the_cell_runs_and_in_order(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        code = guest.pick(
            python="import sys, asyncio\nprint('one')\nawait asyncio.sleep(0.01)\n"
            "print('two', file=sys.stderr)\nawait asyncio.sleep(0.01)\nprint('drei ü')\n4",
            javascript="console.log('one'); await new Promise(r => setTimeout(r, 10)); console.error('two');"
            "await new Promise(r => setTimeout(r, 10)); console.log('drei ü'); 4",
        )
        seen = []
        async with session.stream(code) as stream:
            first = await stream.__anext__()
            # The cell still runs: there is no result yet.
            with pytest.raises(RuntimeError, match="not come to its end"):
                _ = stream.result
            seen = [first] + [piece async for piece in stream]
        assert seen == [("stdout", "one\n"), ("stderr", "two\n"), ("stdout", "drei ü\n")]
        assert stream.result.value == 4
        assert stream.result.stdout == "one\ndrei ü\n"

    on(backend, main)


@pytest.mark.spec("C6.1", "D10.1")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_reader_is_told_what_earlier_cells_have_left(guest: Guest, backend: str) -> None:
    async def main() -> None:
        async with guest.runtime(background="hold") as session:
            await session.execute(
                guest.pick(
                    python="import asyncio\nasyncio.get_event_loop().call_later(0.001, print, 'late')",
                    javascript="setTimeout(() => console.log('late'), 1); 0",
                )
            )
            code = guest.pick(
                python="await asyncio.sleep(0.02)\nprint('mine')",
                javascript="await new Promise(r => setTimeout(r, 20)); console.log('mine')",
            )
            async with session.stream(code) as stream:
                seen: dict[str, str] = {}
                async for name, text in stream:
                    seen[name] = seen.get(name, "") + text
            assert list(seen.items()) == [("background_stdout", "late\n"), ("stdout", "mine\n")]

    on(backend, main)


@pytest.mark.spec("D10.1")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_slow_reader_holds_the_guest_up_and_not_the_memory(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        count = 8_000
        async with session.stream(lines(guest, count)) as stream:
            total = most = 0
            async for _, text in stream:
                total += len(text)
                most = max(most, stream._waiting_bytes)
                if total < 10 * BUFFER_BYTES:
                    await anyio.sleep(0.01)
        assert total == count * 100
        # One piece more than the bound: the guest's own buffer.
        assert most <= BUFFER_BYTES + (64 << 10)
        assert stream.result.ok

    on(backend, main)


@pytest.mark.spec("D10.1", "B2.2")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_reader_that_has_gone_to_sleep_ends_with_the_wall_clock(session: Session, guest: Guest, backend: str) -> None:
    async def main() -> None:
        async with session.stream(lines(guest, 1_000_000), limits=Limits(wall_ms=300)) as stream:
            with anyio.fail_after(30):
                while not stream._done:
                    await anyio.sleep(0.02)
            read = [text async for _, text in stream]
        assert stream.result.stop is not None
        assert stream.result.stop.limit == "wall"
        assert 0 < sum(map(len, read)) <= 2 * BUFFER_BYTES
        assert stream.left_out > 0
        assert (await session.execute("1 + 1")).value == 2

    on(backend, main)


@pytest.mark.spec("D10.1", "C4.5")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("how", ["break", "raise", "cancel"])
def test_leaving_early_cancels_the_cell_and_keeps_the_session(
    session: Session, guest: Guest, backend: str, how: str
) -> None:
    async def main() -> None:
        await session.execute(guest.assign("kept", "5"))
        threads = threading.active_count()
        with anyio.move_on_after(0.2 if how == "cancel" else 30) as scope:
            try:
                async with session.stream(lines(guest, 10_000_000), limits=None) as stream:
                    async for _ in stream:
                        if how == "break":
                            break
                        if how == "raise":
                            raise KeyError("the reader's own")
            except KeyError:
                assert how == "raise"
        assert scope.cancelled_caught == (how == "cancel")
        if how != "cancel":
            with pytest.raises(RuntimeError, match="left before its end"):
                _ = stream.result
        result = await session.execute("kept")
        assert result.value == 5
        assert threading.active_count() <= threads + 2

    on(backend, main)


@pytest.mark.parametrize("backend", BACKENDS)
def test_misuse_of_a_stream_raises_what_execute_would(session: Session, backend: str) -> None:
    async def main() -> None:
        with pytest.raises(RuntimeError, match="async with"):
            await session.stream("1").__anext__()
        session.close()
        with pytest.raises(Exception, match="closed"):
            session.stream("1")

    on(backend, main)


def test_a_stream_waits_its_turn_and_a_ninth_is_refused(guest: Guest) -> None:
    async def main(session: Session) -> None:
        sleep = guest.pick(
            python="import time; time.sleep(0.2)", javascript="await new Promise(r => setTimeout(r, 200))"
        )
        running = [asyncio.create_task(session.execute(sleep)) for _ in range(8)]
        await asyncio.sleep(0.05)
        async with session.stream("1") as stream:
            with pytest.raises(SessionBusy):
                await stream.__anext__()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    with guest.runtime() as session:
        asyncio.run(main(session))


@pytest.mark.spec("D10.1")
def test_a_slow_callback_holds_the_guest_up_and_is_not_script_time(
    session: Session, guest: Guest, driver: Driver
) -> None:
    calls = []

    def slow(name: str, data: bytes) -> None:
        time.sleep(0.05)
        calls.append(data)

    result = driver.run(session, lines(guest, 10), on_output=slow, limits=Limits(script_ms=200))
    assert result.ok, result.error
    assert b"".join(calls).decode() == result.stdout
    assert result.script_ms < 200


@pytest.mark.spec("D10.1")
def test_what_a_callback_raises_stops_its_own_cell_only(guest: Guest, driver: Driver) -> None:
    def raises(name: str, data: bytes) -> None:
        raise KeyError("mine")

    with guest.runtime() as mine, guest.runtime() as other:
        with pytest.raises(KeyError, match="mine"):
            driver.run(mine, lines(guest, 1_000_000), on_output=raises)
        assert driver.run(other, lines(guest, 3)).ok
        assert driver.value(mine, "1 + 1") == 2
