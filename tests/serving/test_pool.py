"""Sessions of clients: scopes, ceilings, idle ends, and what is told of them."""

import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from wasmhost import JavaScriptRuntime, Limits, PythonRuntime, SessionBusy, SessionClosed, TypeScriptRuntime
from wasmhost.errors import LimitsError
from wasmhost.serving.pool import MAX_SCRIPT_MS, SessionPool, SessionState, TooManySessions
from wasmhost.session.session import Session

RUNTIMES: dict[str, type[Session]] = {
    "python": PythonRuntime,
    "javascript": JavaScriptRuntime,
    "typescript": TypeScriptRuntime,
}
CODE = {"python": "x = 7", "javascript": "var x = 7", "typescript": "var x: number = 7"}

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make(language: str, name: str) -> Session:
    return RUNTIMES[language](limits=Limits(script_ms=MAX_SCRIPT_MS))


def states(told: list[SessionState]) -> list[tuple[str, str, str]]:
    return [(one.name, one.language, one.state) for one in told]


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(30):
        while not true():
            await anyio.sleep(0.005)


@pytest.mark.spec("C2.1")
@pytest.mark.parametrize("language", sorted(CODE))
async def test_a_name_is_one_session_of_its_scope_and_language(language: str) -> None:
    async with SessionPool(make) as pool, pool.scope() as mine, pool.scope() as theirs:
        assert (await mine.run("a", language, CODE[language])).result.ok
        assert (await mine.run("a", language, "x + 1")).result.value == 8
        assert not (await mine.run("b", language, "x")).result.ok
        ran = await theirs.run("a", language, "x")
        assert not ran.result.ok
        assert ran.notes == ()
        assert states(theirs.sessions()) == [("a", language, "idle")]


@pytest.mark.spec("C2.1")
async def test_languages_of_a_name_are_sessions_of_their_own() -> None:
    async with SessionPool(make) as pool, pool.scope() as scope:
        for language, code in CODE.items():
            await scope.run("main", language, code)
        assert (await scope.run("main", "python", "x")).result.value == 7
        assert states(scope.sessions()) == [("main", language, "idle") for language in CODE]


@pytest.mark.spec("C3.1")
async def test_a_scope_and_the_process_have_ceilings() -> None:
    async with (
        SessionPool(make, max_per_scope=2, max_sessions=3) as pool,
        pool.scope() as first,
        pool.scope() as second,
    ):
        for name in "ab":
            await first.run(name, "javascript", "var x = 7")
        with pytest.raises(TooManySessions, match=r"connection has its 2: a \(javascript\), b \(javascript\)"):
            await first.run("c", "javascript", "1")
        await second.run("a", "javascript", "1")
        with pytest.raises(TooManySessions, match="all 3 of this server"):
            await second.run("b", "javascript", "1")
        assert (await first.run("b", "javascript", "x")).result.value == 7
        await first.reset("a")
        assert (await second.run("b", "javascript", "1")).result.value == 1
        assert pool.sessions == 3


@pytest.mark.spec("C3.2", "C12.1")
async def test_an_idle_session_ends_and_its_next_use_says_so() -> None:
    async with SessionPool(make, idle_seconds=0.05) as pool, pool.scope() as scope:
        await scope.run("a", "javascript", "var x = 7")
        await until(lambda: scope.sessions()[0].state == "ended")
        assert scope.sessions()[0].reason == "nobody had used it for 0.05 s"
        assert pool.sessions == 0
        ran = await scope.run("a", "javascript", "typeof x")
        assert ran.result.value == "undefined"
        assert ran.notes == (
            "session 'a' is a new one: nobody had used it for 0.05 s. "
            "Variables and registered tools of before are gone",
        )


@pytest.mark.spec("C3.2")
async def test_a_session_that_is_used_does_not_end_by_idling() -> None:
    async with SessionPool(make, idle_seconds=0.02) as pool, pool.scope() as scope:
        ran = await scope.run("a", "javascript", "await new Promise((done) => setTimeout(done, 300)); 'there'")
        assert ran.result.value == "there"


@pytest.mark.spec("C3.3", "C12.1")
async def test_reset_cancels_what_runs_and_frees_the_place() -> None:
    async with SessionPool(make, max_per_scope=1) as pool, pool.scope() as scope, anyio.create_task_group() as group:
        results: list[Any] = []

        async def endless() -> None:
            results.append((await scope.run("a", "python", "while True: pass")).result)

        group.start_soon(endless)
        await until(lambda: [one.state for one in scope.sessions()] == ["running"])
        with anyio.fail_after(30):
            (ended,) = await scope.reset("a")
        assert (ended.state, ended.reason) == ("ended", "it was reset")
        await until(lambda: len(results) == 1)
        assert not results[0].ok
        assert (await scope.run("b", "python", "1")).result.value == 1
        assert await scope.reset("nobody") == []
        assert states(await scope.reset("b", "javascript")) == []


@pytest.mark.spec("C12.1")
async def test_the_state_is_starting_while_it_is_made() -> None:
    gate = anyio.Event()
    seen: list[str] = []

    def slow(language: str, name: str) -> Session:
        anyio.from_thread.run(gate.wait)
        return make(language, name)

    async with SessionPool(slow) as pool, pool.scope() as scope, anyio.create_task_group() as group:
        for code in ("x = 1", "x + 1"):
            group.start_soon(scope.run, "a", "python", code)
        await until(lambda: [one.state for one in scope.sessions()] == ["starting"])
        seen += [one.state for one in scope.sessions()]
        gate.set()
        await until(lambda: scope.sessions()[0].cells == 2)
        seen += [one.state for one in scope.sessions()]
    assert seen == ["starting", "idle"]


@pytest.mark.spec("C2.2")
async def test_a_scope_that_is_closed_meanwhile_leaves_nothing() -> None:
    made: list[Session] = []
    gate = anyio.Event()

    def slow(language: str, name: str) -> Session:
        anyio.from_thread.run(gate.wait)
        made.append(make(language, name))
        return made[-1]

    async with SessionPool(slow) as pool, anyio.create_task_group() as group:
        scope = pool.scope()
        errors: list[str] = []

        async def run() -> None:
            try:
                await scope.run("a", "python", "1")
            except SessionClosed as error:
                errors.append(str(error))

        group.start_soon(run)
        await until(lambda: len(scope.sessions()) == 1)
        await scope.aclose("the client went")
        gate.set()
        await until(lambda: len(errors) == 1)
        assert errors == ["these sessions have ended: the client went"]
        with pytest.raises(SessionClosed):
            made[0].run("1")
        assert pool.sessions == 0
        with pytest.raises(SessionClosed, match="the client went"):
            await scope.run("a", "python", "1")


@pytest.mark.spec("C2.2")
async def test_the_end_of_the_pool_ends_all_whatever_goes_wrong_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Session] = []

    def kept(language: str, name: str) -> Session:
        made.append(make(language, name))
        return made[-1]

    async with SessionPool(kept) as pool:
        scope = pool.scope()
        await scope.run("a", "javascript", "1")
        await scope.run("b", "javascript", "1")

        async def broken() -> None:
            raise RuntimeError("cannot end")

        monkeypatch.setattr(made[0], "aclose", broken)
    with pytest.raises(SessionClosed):
        made[1].run("1")
    assert scope.closed == "the server has shut down"
    with pytest.raises(SessionClosed, match="not open"):
        pool.scope()


@pytest.mark.spec("C3.1")
async def test_what_cannot_be_made_is_told_and_takes_no_place() -> None:
    def fails(language: str, name: str) -> Session:
        raise LimitsError("memory_bytes is too small")

    async with SessionPool(fails) as pool, pool.scope() as scope:
        for _ in range(5):
            with pytest.raises(LimitsError, match="too small"):
                await scope.run("a", "python", "1")
        assert scope.sessions() == []
        assert pool.sessions == 0


@pytest.mark.spec("B1.1")
async def test_time_is_that_of_the_pool_or_less_than_its_most() -> None:
    async with SessionPool(make, script_ms=50, max_script_ms=200) as pool, pool.scope() as scope:
        ran = await scope.run("a", "python", "while True: pass")
        assert ran.result.stop is not None
        assert ran.result.stop.limit == "script"
        ran = await scope.run("a", "python", "1", timeout_ms=1e9)
        assert ran.notes == ("a time-out of 1e+09 ms is more than the most here: 200 ms",)
        for wrong in (0, -1, float("nan"), float("inf")):
            with pytest.raises(LimitsError, match="script_ms"):
                await scope.run("a", "python", "1", timeout_ms=wrong)


@pytest.mark.spec("C2.1")
@pytest.mark.parametrize("name", ["", "a" * 65, "a b", "ä", "a/b", "\n", "a\0"])
async def test_names_and_languages_that_cannot_be(name: str) -> None:
    async with SessionPool(make) as pool, pool.scope() as scope:
        with pytest.raises(ValueError, match="name of a session is 1 to 64"):
            await scope.run(name, "python", "1")
        with pytest.raises(ValueError, match="language is one of python, javascript, typescript, not 'perl'"):
            await scope.run("a", "perl", "1")
        assert scope.sessions() == []


@pytest.mark.spec("B21")
async def test_a_ninth_cell_is_refused_and_the_eight_run_one_by_one() -> None:
    async with SessionPool(make) as pool, pool.scope() as scope, anyio.create_task_group() as group:
        values: list[Any] = []
        busy: list[str] = []

        async def run(code: str) -> None:
            try:
                values.append((await scope.run("a", "javascript", code)).result.value)
            except SessionBusy as error:
                busy.append(str(error))

        group.start_soon(run, "await new Promise((done) => setTimeout(done, 200)); 'first'")
        await until(lambda: [one.state for one in scope.sessions()] == ["running"])
        await anyio.sleep(0.05)
        for number in range(10):
            group.start_soon(run, str(number))
        await until(lambda: len(values) + len(busy) == 11)
        # In which order they begin is the event loop's to say.
        assert values[0] == "first"
        assert set(values[1:]) < set(range(10))
        assert len(busy) == 3


@pytest.mark.spec("C3.3")
async def test_reasons_of_many_names_do_not_pile_up() -> None:
    async with SessionPool(make) as pool, pool.scope() as scope:
        for number in range(70):
            await scope.run(f"s{number}", "javascript", "1")
            await scope.reset(f"s{number}")
        assert len(scope.sessions()) == 64
        assert scope.sessions()[-1].to_dict() == {
            "name": "s69",
            "language": "javascript",
            "state": "ended",
            "cells": 1,
            "idleSeconds": 0.0,
            "reason": "it was reset",
        }


@pytest.mark.parametrize("wrong", [{"max_sessions": 0}, {"idle_seconds": float("inf")}, {"script_ms": -1}])
def test_numbers_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is a number above 0"):
        SessionPool(make, **wrong)  # type: ignore[arg-type]


@pytest.mark.spec("C3.1")
async def test_a_session_is_replaced_once_the_other_one_is_there_and_places_are_counted() -> None:
    async with SessionPool(make, max_per_scope=2) as pool, pool.scope() as scope:
        await scope.run("a", "python", "x = 1")

        def fails() -> Session:
            raise ValueError("cannot be")

        with pytest.raises(ValueError, match="cannot be"):
            await scope.replace("a", "python", fails)
        assert (await scope.run("a", "python", "x")).result.value == 1
        outcomes: list[str] = []

        async def replaced(name: str) -> None:
            try:
                await scope.replace(name, "python", lambda: make("python", name))
                outcomes.append("made")
            except TooManySessions:
                outcomes.append("no room")

        # At the same time: the places of those that are being made are taken.
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(replaced, f"n{number}")
        assert sorted(outcomes) == ["made", "no room", "no room", "no room"]
        assert pool.sessions == 2
        await scope.replace("a", "python", lambda: make("python", "a"))
        assert not (await scope.run("a", "python", "x")).result.ok
        assert pool.sessions == 2


async def test_a_replacement_that_comes_after_the_end_is_closed() -> None:
    made: list[Session] = []
    async with SessionPool(make) as pool:
        scope = pool.scope()
        begun, go_on = threading.Event(), threading.Event()

        def slow() -> Session:
            begun.set()
            go_on.wait(30)
            made.append(PythonRuntime())
            return made[0]

        async def replaced() -> None:
            with pytest.raises(SessionClosed):
                await scope.replace("a", "python", slow)

        async with anyio.create_task_group() as group:
            group.start_soon(replaced)
            await until(begun.is_set)
            await scope.aclose("over")
            go_on.set()
        with pytest.raises(SessionClosed):
            await made[0].execute("1")
        assert pool.sessions == 0
