"""Branches of a session."""

import asyncio
import threading
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.session.session import Session


@pytest.mark.spec("D4.3")
def test_branches_go_on_by_themselves(guest: Guest, driver: Driver) -> None:
    with guest.runtime() as session:
        driver.run(session, guest.assign("a", "[1]"))
        one, two, three = session.fork(3)
        for branch, item in ((one, 10), (two, 20)):
            driver.run(branch, guest.pick(python=f"a.append({item})", javascript=f"a.push({item})"))
        [of_two] = two.fork()
        driver.run(of_two, guest.pick(python="a.append(3)", javascript="a.push(3)"))
        values = [driver.value(branch, "a") for branch in (session, one, two, three, of_two)]
        assert values == [[1], [1, 10], [1, 20], [1], [1, 20, 3]]
        session.close()
        assert driver.value(one, "a") == [1, 10]
        for branch in (one, two, three, of_two):
            branch.close()


@pytest.mark.spec("D4.3", "D4.7")
def test_a_hundred_have_random_numbers_of_their_own(guest: Guest) -> None:
    draw = guest.pick(python="import random\nrandom.random()", javascript="Math.random()")
    with guest.runtime() as session:
        session.run(draw)
        branches = session.fork(100)
        assert len({branch.run(draw).value for branch in branches}) == 100
        same = session.fork(2, reseed=False)
        assert same[0].run(draw).value == same[1].run(draw).value == session.run(draw).value
        for branch in branches + same:
            branch.close()


@pytest.mark.spec("D6.1")
def test_a_branch_goes_back_to_where_it_began(guest: Guest) -> None:
    with guest.runtime(limits=Limits(script_ms=50)) as session:
        session.run(guest.assign("a", "1"))
        [branch] = session.fork()
        assert branch.run(guest.spin_that_cannot_be_asked).state == "restored"
        assert branch.run("a").value == 1
        branch.run(guest.assign("a", "2"))
        assert branch.run(guest.spin_that_cannot_be_asked).state == "restored"
        assert branch.run("a").value == 2
        branch.close()


def test_tools_of_the_guest_are_each_branchs_own(guest: Guest) -> None:
    handler = guest.pick(python="lambda i: 1", javascript="() => 1")
    register = f"registerTool('t', 'T.', {{'type': 'object'}}, {handler})"
    with guest.runtime(policy="allow") as session:
        session.run(register)
        [branch] = session.fork()
        session.run("unregisterTool('t')")
        assert not session.registered_tools
        assert branch.call_tool_blocking("t").value == 1
        branch.close()


@pytest.mark.spec("D4.2", "D4.3")
def test_a_call_in_flight_is_made_once_and_each_branch_gets_its_answer(guest: Guest) -> None:
    made: list[int] = []
    inside, answer = asyncio.Event(), asyncio.Event()

    async def slow(n: int) -> str:
        made.append(n)
        inside.set()
        await answer.wait()
        return f"answer {n}"

    code = guest.pick(
        python="print('before')\nx = await tools.slow(n=1)\nprint('after')\nx",
        javascript="console.log('before'); const x = await tools.slow({ n: 1 }); console.log('after'); x",
    )

    async def main() -> None:
        async with guest.runtime(capabilities=[slow], policy="allow") as session:
            running = asyncio.create_task(session.execute(code))
            await inside.wait()
            branches = await waiting_forks(session, 3)
            going = [asyncio.create_task(branch.resume()) for branch in branches[:2]]
            await asyncio.sleep(0)
            answer.set()
            results = [await running, *[await one for one in going], await branches[2].resume()]
            for result in results:
                assert result.value == "answer 1", result.error
                assert result.stdout == "before\nafter\n"
                assert [(call.id, call.state, call.result) for call in result.calls] == [
                    ("c1.1", "completed", "answer 1")
                ]
            assert made == [1]
            for branch in branches:
                assert (await branch.execute("x")).value == "answer 1"
                await branch.aclose()

    asyncio.run(main())


async def waiting_forks(session: Session, count: int) -> list[Session]:
    """Forks of a session whose cell is about to wait."""
    from wasmhost import SessionBusy

    while True:
        try:
            return session.fork(count)
        except SessionBusy:
            await asyncio.sleep(0.001)


@pytest.mark.spec("D4.2", "D4.3")
@pytest.mark.parametrize("end", ["close", "reset", "cancel", "branch"])
def test_whoever_ends_first_leaves_no_one_waiting(guest: Guest, end: str) -> None:
    """The session that makes the call, or a branch that waits for it."""
    inside, answer = asyncio.Event(), asyncio.Event()

    async def slow() -> int:
        inside.set()
        await answer.wait()
        return 5

    code = guest.pick(python="x = await tools.slow()\nx", javascript="const x = await tools.slow(); x")

    async def main() -> None:
        async with guest.runtime(capabilities=[slow], policy="allow") as session:
            running = asyncio.create_task(session.execute(code))
            await inside.wait()
            early, late = await waiting_forks(session, 2)
            going = asyncio.create_task(early.resume())
            while not early._running:
                await asyncio.sleep(0.001)
            if end == "close":
                session.close()
            elif end == "reset":
                await session.reset()
            elif end == "cancel":
                running.cancel()
            else:
                early.close()
                await asyncio.wait([going])
                answer.set()
            await asyncio.wait([running])
            results = [await going, await late.resume()]
            if end == "branch":
                assert (await running).value == results[1].value == 5
                assert results[0].error_type == "CancelledError"
            else:
                assert all("slow was cancelled" in (result.error or "") for result in results)
                assert (await early.execute("1 + 1")).value == 2
            assert (await late.execute("1 + 1")).value == 2
            for branch in (early, late):
                branch.close()

    asyncio.run(main())


@pytest.mark.spec("D4.2", "D4.7")
def test_timers_of_a_branch_go_on(guest: Guest) -> None:
    code = guest.pick(
        python="import asyncio, random\nrandom.random()\nawait asyncio.sleep(0.2)\nrandom.random()",
        javascript="Math.random(); await new Promise(r => setTimeout(r, 200)); Math.random()",
    )

    async def main() -> None:
        async with guest.runtime() as session:
            running = asyncio.create_task(session.execute(code))
            await asyncio.sleep(0)
            branches = await waiting_forks(session, 2)
            results = [await running, *[await branch.resume() for branch in branches]]
            assert all(result.ok for result in results), [result.error for result in results]
            # The second number is drawn after the fork, and each has its own.
            assert len({result.value for result in results}) == 3
            for branch in branches:
                await branch.aclose()

    asyncio.run(main())


@pytest.mark.spec("D6.1")
def test_a_branch_of_a_cell_that_waits_goes_back_to_before_that_cell(guest: Guest) -> None:
    release = asyncio.Event()

    async def slow() -> int:
        await release.wait()
        return 1

    code = guest.pick(
        python=f"a = 2\nawait tools.slow()\n{guest.spin_that_cannot_be_asked}",
        javascript=f"a = 2; await tools.slow(); {guest.spin_that_cannot_be_asked}",
    )

    async def main() -> None:
        async with guest.runtime(capabilities=[slow], policy="allow", limits=Limits(script_ms=60)) as session:
            await session.execute(guest.assign("a", "1"))
            running = asyncio.create_task(session.execute(code))
            await asyncio.sleep(0)
            [branch] = await waiting_forks(session, 1)
            release.set()
            assert (await running).state == "restored"
            result = await branch.resume()
            assert result.state == "restored", result
            assert (await branch.execute("a")).value == 1
            await branch.aclose()

    asyncio.run(main())


def test_misuse_says_what_is_wrong(guest: Guest) -> None:
    with guest.runtime() as session:
        for count in (0, -1, 10_001, True, "2"):
            with pytest.raises(ValueError, match="1 to 10000 times"):
                session.fork(count)  # type: ignore[arg-type]
        with pytest.raises(LookupError, match="nothing to go on with"):
            session.resume_blocking()


def test_branches_run_side_by_side_in_threads(guest: Guest) -> None:
    with guest.runtime() as session:
        session.run(guest.assign("a", "1"))
        branches = session.fork(8)
        values: list[Any] = []

        def use(branch: Session, n: int) -> None:
            for _ in range(20):
                branch.run(guest.pick(python=f"a += {n}", javascript=f"a += {n}"))
            values.append((n, branch.run("a").value))

        threads = [threading.Thread(target=use, args=(branch, n)) for n, branch in enumerate(branches)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(values) == [(n, 1 + 20 * n) for n in range(8)]
        for branch in branches:
            branch.close()
