"""Functions of the host program that do what no careful one does: each has its place, a clear error, and no way out."""

import asyncio
import threading
from enum import Enum
from fractions import Fraction
from typing import Any

import anyio
import pytest
from pydantic import SecretStr

from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import (
    Allow,
    ApprovalRequest,
    Ask,
    CallEvent,
    CapabilityDefinitionError,
    Deny,
    HookCall,
    HookResult,
    Hooks,
    Limits,
    Policy,
    Rule,
    SessionBusy,
    SessionClosed,
    capability,
    current_call,
)
from wasmhost.capabilities.policy import canonical
from wasmhost.capabilities.run import CallRun
from wasmhost.capabilities.workers import Workers, workers
from wasmhost.errors import WasmhostError
from wasmhost.session.session import Session

EXITS: list[type[BaseException]] = [SystemExit, KeyboardInterrupt, GeneratorExit]


@capability(name="one")
def one(x: Any = 1) -> Any:
    return x


ONE = "one"


def outcome(guest: Guest, driver: Driver, session: Session, **arguments: Any) -> Any:
    return driver.value(session, caught(guest, call(guest, ONE, sync=True, **arguments)))


def raising(error: type[BaseException]) -> Any:
    def fail(*_: Any) -> Any:
        raise error

    return fail


@pytest.mark.spec("B10.10")
@pytest.mark.parametrize("error", EXITS)
def test_a_listener_that_exits_changes_nothing(guest: Guest, driver: Driver, error: type[BaseException]) -> None:
    with guest.runtime(capabilities=[one], policy="allow", on_event=raising(error)) as session:
        result = driver.run(session, call(guest, ONE, sync=True))
    assert result.value == 1
    assert result.state == "kept"
    assert f"on_event failed with {error.__name__}" in result.calls[0].notes


@pytest.mark.spec("B10.5")
@pytest.mark.parametrize("error", [*EXITS, ZeroDivisionError])
@pytest.mark.parametrize("where", ["rule", "remembered"])
def test_a_predicate_that_raises_denies_and_says_so(
    guest: Guest, driver: Driver, error: type[BaseException], where: str
) -> None:
    policy = Policy([Rule(ONE, "allow", raising(error))]) if where == "rule" else Policy()

    def approve(_: ApprovalRequest) -> Allow:
        return Allow(arguments=raising(error))

    with guest.runtime(capabilities=[one], policy=policy, approve=approve) as session:
        if where == "remembered":
            assert outcome(guest, driver, session) == 1
        result = driver.run(session, caught(guest, call(guest, ONE, sync=True)))
    kind, message = result.value
    assert kind == "PermissionError"
    assert f"failed with {error.__name__}" in message
    (record,) = result.calls
    assert (record.state, record.executed, record.permission) == ("denied", False, "deny (a predicate failed)")


NONSENSE: list[tuple[str, Any, str]] = [
    ("pre", HookResult(decision="deny"), "Allow(), Deny() or Ask(), not str"),  # type: ignore[arg-type]
    ("pre", HookResult(decision=False), "not bool"),  # type: ignore[arg-type]
    ("pre", HookResult(decision=Deny), "not Deny"),  # type: ignore[arg-type]
    ("pre", HookResult(result=3), "rewrites input="),
    ("pre", HookResult(input=[1]), "dict of arguments"),  # type: ignore[arg-type]
    ("pre", HookResult(note=b"x"), "a note is a str"),  # type: ignore[arg-type]
    ("post", HookResult(decision=Ask()), "Deny(), not Ask"),
    ("post", HookResult(decision=Allow()), "Deny(), not Allow"),
    ("post", HookResult(input={}), "rewrites result="),
]


@pytest.mark.spec("B10.4", "B10.9")
@pytest.mark.parametrize(("step", "answer", "said"), NONSENSE)
def test_an_answer_that_would_mean_nothing_fails_closed(
    guest: Guest, driver: Driver, step: str, answer: Any, said: str
) -> None:
    hooks = Hooks(pre=lambda c: answer) if step == "pre" else Hooks(post=lambda c: answer)
    with guest.runtime(capabilities=[one], policy="allow", hooks=hooks) as session:
        kind, message = outcome(guest, driver, session)
    assert kind == "PermissionError"
    assert said in message


def test_what_is_remembered_must_be_a_mapping_or_a_predicate() -> None:
    with pytest.raises(CapabilityDefinitionError, match="mapping or a predicate, not int"):
        Allow(arguments=5)  # type: ignore[arg-type]


class Bad:
    def model_dump(self) -> Any:
        raise RuntimeError("its own trouble")


class BadText(Exception):
    def __str__(self) -> str:
        raise SystemExit


@pytest.mark.spec("B10.8")
@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        ("dump", "CallError", "cannot be passed on: RuntimeError while it was written"),
        ("text", "BadText", ""),
        ("strerror", "OSError", "b'x'"),
        ("deep", "CallError", "nested deeper"),
    ],
)
def test_a_result_or_error_that_cannot_be_written_is_a_failure(
    guest: Guest, driver: Driver, how: str, kind: str, said: str
) -> None:
    @capability(name="one")
    def odd() -> Any:
        if how == "dump":
            return Bad()
        if how == "text":
            raise BadText
        if how == "strerror":
            raise OSError(5, b"x")
        value: Any = []
        for _ in range(10_000):
            value = [value]
        return value

    with guest.runtime(capabilities=[odd], policy="allow") as session:
        result = driver.run(session, caught(guest, call(guest, ONE, sync=True)))
    (record,) = result.calls
    assert (record.state, record.executed) == ("failed", True)
    assert record.error is not None
    assert record.error[0] == kind
    assert said in record.error[1]
    assert record.steps[-1][1] == kind


@pytest.mark.spec("B10.4")
def test_whoever_changes_the_input_that_he_is_shown_changes_nothing(guest: Guest, driver: Driver) -> None:
    def spoil(value: Any) -> None:
        value["x"].append("spoilt")
        value["y"] = 1

    def hook(made: HookCall) -> None:
        spoil(made.input)

    def approve(request: ApprovalRequest) -> bool:
        spoil(request.input)
        return True

    def event(told: CallEvent) -> None:
        if told.kind == "complete":
            seen.append(told.call.input)

    seen: list[Any] = []

    @capability(name="one")
    def greedy(x: list[str]) -> list[str]:
        given = list(x)
        x.append("spoilt")
        return given

    hooks = Hooks(pre=hook, post=hook, failure=hook)
    with guest.runtime(capabilities=[greedy], policy="ask", hooks=hooks, approve=approve, on_event=event) as session:
        assert outcome(guest, driver, session, x=["a"]) == ["a"]
    assert seen == [{"x": ["a"]}]


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SecretStr("a"), SecretStr("b")),
        (Fraction(1 << 50_000, 3), Fraction(1 << 50_000, 7)),
        ([1 << 50_000], [1 << 50_001]),
        (Colour.RED, 1),
        (True, 1),
        ((1,), [1]),
    ],
)
def test_inputs_that_differ_have_different_texts(first: Any, second: Any) -> None:
    assert canonical({"x": first}) != canonical({"x": second})
    assert canonical({"x": first}) == canonical({"x": first})


@pytest.mark.spec("C6")
def test_a_question_can_always_be_shown_and_shows_what_is_there() -> None:
    def text(arguments: dict[str, Any]) -> str:
        return ApprovalRequest("c1.1", "pay", "", arguments, "", "").text()

    assert "[cut here:" in text({"n": [1 << 50_000, Fraction(1 << 50_000, 3)]})
    # A name that a guest makes up cannot pass for another argument.
    assert text({"to = 'bob'; x": 1}).splitlines()[1] == "  \"to = 'bob'; x\" = 1"
    many = text({f"a{i}": i for i in range(10_000)})
    assert len(many.splitlines()) == 52
    assert "10000 arguments in all, SHA-256" in many
    assert text({"x": "a\u3164\u2800b\ufe0f"}).endswith(r"'a\u3164\u2800b\ufe0f'")
    assert len(text({"n" * 100_000: 1})) < 500


@pytest.mark.spec("B21")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("what", ["execute", "call_tool", "child task"])
def test_a_call_that_would_wait_for_its_own_cell_is_refused(guest: Guest, backend: str, what: str) -> None:
    found: list[str] = []

    async def again() -> None:
        try:
            if what == "call_tool":
                await session.call_tool("t", {})
            elif what == "execute":
                await session.execute("1")
            else:
                async with anyio.create_task_group() as group:
                    group.start_soon(session.execute, "1")
        except* SessionBusy as error:
            found.append(str(error.exceptions[0]))

    async def main() -> Any:
        register = guest.pick(
            python="registerTool('t', 'd', {}, lambda input: 1)",
            javascript="registerTool('t', 'd', { type: 'object' }, () => 1); 1",
        )
        await session.execute(register)
        await session.execute(call(guest, "again"))
        # After its cell, the same context may.
        return (await session.execute("1 + 1")).value

    with guest.runtime(capabilities=[again], policy="allow") as session:
        assert anyio.run(main, backend=backend) == 2
    assert len(found) == 1
    assert "again is called by the cell that runs" in found[0]


@pytest.mark.parametrize("how", ["run", "reset", "close"])
def test_a_plain_function_that_changes_its_own_session_does_not_hang(guest: Guest, driver: Driver, how: str) -> None:
    told: list[str] = []

    def meddle() -> None:
        try:
            {"run": lambda: session.run("1"), "reset": session.reset_blocking, "close": session.close}[how]()
        except SessionBusy:
            told.append("busy")

    with guest.runtime(capabilities=[meddle], policy="allow") as session:
        # A cell that is over by then ends as it is; this one goes on until it is told to stop.
        rest = "" if how == "run" else f"\n{guest.spin}"
        result = driver.run(session, call(guest, "meddle", sync=True) + rest)
        assert told == ([] if how == "close" else ["busy"])
        if how == "run":
            assert result.ok
            return
        assert result.stop is not None
        assert result.stop.limit == ("closed" if how == "close" else "cancelled")
        if how == "close":
            with pytest.raises(SessionClosed):
                driver.run(session, "1")
        else:
            assert driver.value(session, "1 + 1") == 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_session_is_freed_though_its_close_was_cancelled(guest: Guest, backend: str) -> None:
    inside = threading.Event()
    release = threading.Event()

    def hang() -> None:
        inside.set()
        release.wait(30)

    async def main() -> None:
        session = guest.runtime(capabilities=[hang], policy="allow")
        async with anyio.create_task_group() as group:
            group.start_soon(session.execute, call(guest, "hang", sync=True))
            await anyio.to_thread.run_sync(inside.wait)
            with anyio.CancelScope() as scope:
                scope.cancel()
                await session.aclose()
            release.set()
        assert session._instance is None
        with pytest.raises(SessionClosed):
            await session.execute("1")

    anyio.run(main, backend=backend)


def test_other_threads_and_what_comes_later_know_of_no_call(guest: Guest, driver: Driver) -> None:
    seen: list[Any] = []

    def work() -> None:
        thread = threading.Thread(target=lambda: seen.append(current_call()))
        thread.start()
        thread.join()
        seen.append(current_call())

    with guest.runtime(capabilities=[work], policy="allow") as session:
        assert driver.run(session, call(guest, "work", sync=True)).ok
    assert seen[0] is None
    assert seen[1].name == "work"


def test_an_async_function_that_swallows_its_cancelling_is_told_as_what_it_did(guest: Guest) -> None:
    @capability(timeout=0.01)
    async def stubborn() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "all the same"
        return "never"

    with guest.runtime(capabilities=[stubborn], policy="allow") as session:
        result = session.run(call(guest, "stubborn"))
    assert result.value == "all the same"
    assert result.calls[0].state == "completed"


# ---- races, in the order that hurts --------------------------------------------------------------------------------


def test_a_call_given_up_as_its_function_returns_holds_no_thread(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    complete = CallRun.complete
    late: list[bool] = []

    def given_up_first(run: CallRun, effect: Any, outcome: Any) -> bool:
        run.give_up()
        late.append(complete(run, effect, outcome))
        return late[-1]

    before = workers.abandoned
    monkeypatch.setattr(CallRun, "complete", given_up_first)
    with guest.runtime(capabilities=[one], policy="allow", limits=Limits(wall_ms=20_000)) as session:
        result = session.run(caught(guest, call(guest, ONE, sync=True)))
    assert late == [False]
    assert workers.abandoned == before
    assert result.calls[0].state == "unknown"


def test_a_thread_that_cannot_be_started_is_no_thread_that_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    pool = Workers()
    ran = threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr("wasmhost.capabilities.workers.start_new_thread", refuse)
        for _ in range(200):  # more than there may be threads
            with pytest.raises(WasmhostError, match="no thread for a synchronous capability"):
                pool.submit(ran.set)
    pool.submit(ran.set)
    assert ran.wait(10)


def test_a_call_that_is_cancelled_between_two_steps_goes_no_further(
    guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cell ends while a call is between its hook and its function: nobody's effect is there to be cancelled."""
    made: list[int] = []
    advance = CallRun.advance

    def cancelled_first(run: CallRun, outcome: Any) -> None:
        run.cancel()
        advance(run, outcome)

    def touch() -> None:
        made.append(1)

    monkeypatch.setattr(CallRun, "advance", cancelled_first)
    with guest.runtime(capabilities=[touch], policy="allow", hooks=Hooks(pre=lambda c: None)) as session:
        result = session.run(caught(guest, call(guest, "touch", sync=True)))
    assert made == []
    (record,) = result.calls
    assert (record.state, record.executed) == ("never-started", False)
