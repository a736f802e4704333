"""Many sessions on many threads; a guest that spins holds nobody up; errors of one never show in another."""

import gc
import random
import threading
import time

import anyio
import pytest

from tests.support.drivers import BACKENDS
from tests.support.guests import GUESTS, Guest
from wasmhost import Limits, RuntimeFailure, RuntimeSuccess, SessionBusy, SessionClosed
from wasmhost.sandbox.imports import current
from wasmhost.sandbox.instance import Instance
from wasmhost.session.session import Session


def in_threads(count: int, work: "object") -> None:
    """Runs ``work(number)`` in that many threads; what one raises comes out here."""
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)  # type: ignore[operator]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


def test_twenty_sessions_on_eight_threads(guest: Guest) -> None:
    sessions = [guest.runtime() for _ in range(20)]
    locks = [threading.Lock() for _ in sessions]
    for session in sessions:
        assert session.run(guest.assign("x", "0")).ok

    def work(thread: int) -> None:
        for turn in range(30):
            number = (thread * 7 + turn * 3) % len(sessions)
            with locks[number]:
                assert sessions[number].run("x += 1").ok
                printed = sessions[number].run(guest.out(f"{thread}-{turn}"))
                assert printed.stdout == f"{thread}-{turn}\n"
                failed = sessions[number].run(f"missing_{thread}_{turn}")
                assert failed.error is not None
                assert f"missing_{thread}_{turn}" in failed.error

    in_threads(8, work)
    assert sum(session.run("x").value for session in sessions) == 8 * 30
    for session in sessions:
        session.close()


def test_two_hundred_sessions_on_sixteen_threads() -> None:
    guests = [GUESTS[name] for name in ("python", "javascript")]
    sessions = [guests[number % 2].runtime() for number in range(200)]
    locks = [threading.Lock() for _ in sessions]
    errors_of_listeners = [0] * 16

    def work(thread: int) -> None:
        def listener(stream: str, data: bytes) -> None:
            raise LookupError(thread)

        for turn in range(50):
            number = (thread * 13 + turn * 7) % len(sessions)
            session, guest = sessions[number], guests[number % 2]
            with locks[number]:
                once = guest.pick(python="x = globals().get('x', 0) + 1", javascript="var x = (globalThis.x ?? 0) + 1")
                assert session.run(once).ok
                if turn % 10 == 3:
                    # One that has to be stopped goes on beside all others.
                    stopped = session.run(guest.spin, limits=Limits(fuel=2_000_000))
                    assert stopped.stop is not None
                    assert (stopped.stop.limit, stopped.state) == ("fuel", "restored")
                if turn % 10 == 7:
                    with pytest.raises(LookupError) as caught:
                        session.run(guest.out("x"), on_output=listener)
                    assert caught.value.args == (thread,)
                    errors_of_listeners[thread] += 1
                printed = session.run(guest.out(f"{thread}-{turn}"))
                assert printed.stdout == f"{thread}-{turn}\n"

    in_threads(16, work)
    assert errors_of_listeners == [5] * 16
    values = [
        session.run(guests[n % 2].pick(python="globals().get('x', 0)", javascript="globalThis.x ?? 0")).value
        for n, session in enumerate(sessions)
    ]
    assert sum(values) == 16 * 50
    for session in sessions:
        session.close()


def test_one_session_from_many_threads_is_never_entered_twice(session: Session, guest: Guest) -> None:
    assert session.run(guest.assign("x", "0")).ok
    counts = [0] * 8

    def work(thread: int) -> None:
        while counts[thread] < 20:
            try:
                result = session.run("x += 1")
            except SessionBusy:
                continue
            assert result.ok
            counts[thread] += 1

    in_threads(8, work)
    assert session.run("x").value == 160


def test_a_guest_that_spins_leaves_other_threads_running(session: Session, guest: Guest) -> None:
    gaps: list[float] = []
    done = threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not done.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    result = session.run(guest.spin, limits=Limits(script_ms=500))
    done.set()
    thread.join()
    assert result.stop is not None
    # Without the GIL given up there would be one gap of half a second.
    assert len(gaps) > 50


def test_spinning_guests_are_all_stopped(guest: Guest) -> None:
    def work(_: int) -> None:
        with guest.runtime(limits=Limits(script_ms=100)) as session:
            for _ in range(2):
                result = session.run(guest.spin)
                assert result.stop is not None
                assert result.stop.limit == "script"

    in_threads(8, work)


def test_an_error_of_one_listener_is_never_seen_by_another(guest: Guest) -> None:
    def work(number: int) -> None:
        def listener(stream: str, data: bytes) -> None:
            raise LookupError(number)

        with guest.runtime() as session:
            for _ in range(20):
                if number % 2:
                    with pytest.raises(LookupError) as caught:
                        session.run(guest.out("x"), on_output=listener)
                    assert caught.value.args == (number,)
                else:
                    assert session.run(guest.out("x")).stdout == "x\n"

    in_threads(6, work)


def test_a_session_may_be_made_in_one_thread_and_used_and_closed_in_others(guest: Guest) -> None:
    session = guest.runtime()
    results: list[RuntimeSuccess | RuntimeFailure] = []
    in_threads(1, lambda _: results.append(session.run(guest.assign("x", "5"))))
    in_threads(1, lambda _: results.append(session.run("x + 1")))
    in_threads(1, lambda _: session.close())
    assert [result.ok for result in results] == [True, True]
    assert results[1].value == 6


def test_a_listener_may_run_another_session(guest: Guest) -> None:
    with guest.runtime() as outer, GUESTS["python"].runtime() as inner:
        values: list[object] = []

        def listener(stream: str, data: bytes) -> None:
            values.append(inner.run("6 * 7").value)
            with pytest.raises(SessionBusy):
                outer.run("1")

        assert outer.run(f"{guest.out('a')}\n{guest.out('b')}\n1", on_output=listener).value == 1
        assert values
        assert set(values) == {42}


def test_runner_threads_are_used_again(guest: Guest) -> None:
    async def main() -> None:
        async with guest.runtime() as session:
            for _ in range(50):
                assert (await session.execute("1 + 1")).value == 2

    def native() -> int:
        from pathlib import Path

        tasks = Path("/proc/self/task")
        return len(list(tasks.iterdir())) if tasks.exists() else 0

    anyio.run(main)
    before = native()
    anyio.run(main)
    assert native() <= before + 1


def test_everything_at_once_from_every_thread_ends(guest: Guest) -> None:
    """Runs, cancellations, resets and closings of the same sessions meet in every order; nothing hangs or is left."""
    limits = Limits(script_ms=100)
    sessions = [guest.runtime(limits=limits) for _ in range(2)]
    loop = guest.pick(
        python="import asyncio; await asyncio.sleep(0.01)", javascript="await new Promise((d) => setTimeout(d, 9))"
    )
    cells = ["1 + 1", guest.spin, loop, guest.out("y" * 1000)]

    def work(thread: int) -> None:
        draw = random.Random(thread)
        for _ in range(25):
            number = draw.randrange(len(sessions))
            session, code, seconds = sessions[number], draw.choice(cells), draw.choice([0.0, 0.003, 0.03, 1.0])

            async def cancelled(session: Session = session, code: str = code, seconds: float = seconds) -> None:
                with anyio.move_on_after(seconds):
                    await session.execute(code)

            async def left(session: Session = session, code: str = code) -> None:
                async with session.stream(code) as stream:
                    async for _ in stream:
                        break

            async def closed(session: Session = session, seconds: float = seconds) -> None:
                with anyio.move_on_after(seconds):
                    await session.aclose()
                session.close()

            backend = draw.choice(BACKENDS)
            try:
                match draw.randrange(8):
                    case 0 | 1:
                        session.run(code, limits=Limits(fuel=1_000_000))
                    case 2 | 3:
                        anyio.run(cancelled, backend=backend)
                    case 4:
                        session.reset_blocking()
                    case 5:
                        anyio.run(session.reset, backend=backend)
                    case 6:
                        anyio.run(left, backend=backend)
                    case _:
                        anyio.run(closed, backend=backend)
                        sessions[number] = guest.runtime(limits=limits)
            except (SessionBusy, SessionClosed):
                pass

    in_threads(8, work)
    for session in sessions:
        session.close()
    assert not current
    gc.collect()
    held = [each for each in gc.get_objects() if isinstance(each, Instance) and each.image is sessions[0]._image]
    assert not [each for each in held if each._store and each is not each.image._pristine]
