"""The inner pipeline of row B10 in its order, what each step can decide, and what is left to be seen of it."""

import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import (
    Allow,
    ApprovalRequest,
    Ask,
    CallEvent,
    Deny,
    HookCall,
    HookResult,
    Hooks,
    Isolation,
    Limits,
    Policy,
    Rule,
    capability,
)
from wasmhost.session.session import Session


class Ledger:
    """A capability that keeps what it was called with."""

    def __init__(self, **options: Any) -> None:
        self.inputs: list[str] = []

        @capability(name="write", **options)
        def write(text: str) -> str:
            """Writes a text."""
            self.inputs.append(text)
            return f"wrote {text}"

        self.function = write


def write(guest: Guest, text: str = "x") -> str:
    return call(guest, "write", sync=True, text=text)


def denied(guest: Guest, driver: Driver, session: Session, text: str = "x") -> str:
    """The message of the PermissionError that a call must end in."""
    kind, message = driver.value(session, caught(guest, write(guest, text)))
    assert kind == "PermissionError", message
    return str(message)


def both(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The function as it is, and as a coroutine function."""

    async def later(*args: Any) -> Any:
        await anyio.sleep(0)
        return function(*args)

    return [function, later]


@pytest.mark.spec("B10.1", "B10.6", "B10.10", "B10.11")
def test_every_step_is_an_event_and_a_field_of_the_record(guest: Guest, driver: Driver) -> None:
    events: list[tuple[str, str]] = []
    ledger = Ledger(isolation="web")
    with guest.runtime(
        capabilities=[ledger.function],
        policy="allow",
        hooks=Hooks(pre=lambda c: None, post=lambda c: None),
        on_event=lambda e: events.append((e.kind, e.step)),
    ) as session:
        (record,) = driver.run(session, write(guest)).calls
    assert events == [
        ("start", ""),
        ("step", "schema"),
        ("step", "isolation"),
        ("step", "pre_hook"),
        ("step", "permission"),
        ("executing", "execute"),
        ("step", "output"),
        ("step", "post_hook"),
        ("complete", "complete"),
    ]
    assert [step for step, _, _ in record.steps] == [step for _, step in events[1:]]
    times = [at for _, _, at in record.steps]
    assert times == sorted(times)


@pytest.mark.spec("B10.10")
def test_a_failed_call_ends_in_an_error_event_and_a_listener_that_raises_changes_nothing(guest: Guest) -> None:
    kinds: list[str] = []

    def listener(event: CallEvent) -> None:
        kinds.append(event.kind)
        raise RuntimeError("the listener's own trouble")

    def fail() -> None:
        raise ValueError("no")

    with guest.runtime(capabilities=[fail], policy="allow", on_event=listener) as session:
        result = session.run(call(guest, "fail", sync=True))
    assert kinds[-1] == "error"
    assert result.error is not None
    assert "no" in result.error
    assert "on_event failed with RuntimeError" in result.calls[0].notes


@pytest.mark.spec("B10.2", "B10.3")
def test_schema_and_latch_come_before_any_hook(guest: Guest, driver: Driver) -> None:
    seen: list[str] = []
    web, mail = Ledger(isolation="web"), Ledger()

    @capability(isolation="connector")
    def send(to: str) -> None: ...

    with guest.runtime(
        capabilities=[web.function, send],
        policy="allow",
        isolation=Isolation(exclusive=[("web", "connector")]),
        hooks=Hooks(pre=lambda c: seen.append(c.name)),
    ) as session:
        driver.run(session, call(guest, "write", sync=True, text=5))
        assert seen == []
        driver.run(session, write(guest))
        assert seen == ["write"]
        result = driver.run(session, call(guest, "send", sync=True, to="a"))
        assert seen == ["write"]
    assert result.calls[0].state == "denied"
    assert mail.inputs == []


@pytest.mark.spec("B12")
def test_the_latch_outlives_reset_and_ends_with_a_new_boundary(guest: Guest, driver: Driver) -> None:
    web = Ledger(isolation="web")

    @capability(isolation="connector")
    def send() -> str:
        return "sent"

    with guest.runtime(
        capabilities=[web.function, send], policy="allow", isolation=Isolation(exclusive=[("web", "connector")])
    ) as session:
        assert driver.value(session, write(guest)) == "wrote x"
        for _ in range(2):
            kind, message = driver.value(session, caught(guest, call(guest, "send", sync=True)))
            assert kind == "PermissionError"
            assert "exclude each other" in message
            driver.reset(session)
        session.new_boundary()
        assert driver.value(session, call(guest, "send", sync=True)) == "sent"


@pytest.mark.spec("B12")
def test_of_two_calls_at_a_time_that_exclude_each_other_one_is_made(guest: Guest, driver: Driver) -> None:
    barrier = threading.Barrier(2)
    made: list[str] = []

    def hold(c: HookCall) -> None:
        # Both have passed the early look at the latch when the first goes on.
        barrier.wait(10)

    @capability(isolation="web")
    async def web() -> None:
        made.append("web")

    @capability(isolation="connector")
    async def mail() -> None:
        made.append("mail")

    code = guest.pick(
        python="import asyncio\n[type(x).__name__ for x in "
        "await asyncio.gather(tools.web(), tools.mail(), return_exceptions=True)]",
        javascript="(await Promise.allSettled([tools.web({}), tools.mail({})])).map(r => r.reason?.name ?? 'NoneType')",
    )
    with guest.runtime(
        capabilities=[web, mail],
        policy="allow",
        isolation=Isolation(exclusive=[("web", "mail"), ("web", "connector")]),
        hooks=Hooks(pre=hold),
    ) as session:
        assert sorted(driver.value(session, code)) == ["NoneType", "PermissionError"]
    assert len(made) == 1


@pytest.mark.spec("B12")
def test_after_a_source_every_sink_is_asked_about(guest: Guest, driver: Driver) -> None:
    asked: list[ApprovalRequest] = []
    sink = Ledger(isolation="sink")

    def remembering(request: ApprovalRequest) -> Allow:
        asked.append(request)
        return Allow(remember=True)

    @capability(isolation="web")
    def browse() -> None: ...

    with guest.runtime(
        capabilities=[sink.function, browse],
        policy="allow",
        isolation=Isolation(after=[("web", "sink")]),
        approve=remembering,
    ) as session:
        driver.run(session, write(guest))
        assert asked == []
        driver.run(session, call(guest, "browse", sync=True))
        driver.run(session, write(guest))
        driver.run(session, write(guest))
    assert [request.reason for request in asked] == ["this session has used 'web'"] * 2
    assert sink.inputs == ["x"] * 3


@pytest.mark.spec("B10.4")
@pytest.mark.parametrize("kind", [0, 1], ids=["plain", "async"])
def test_a_pre_hook_rewrites_the_input(guest: Guest, driver: Driver, kind: int) -> None:
    ledger = Ledger()
    hook = both(lambda c: HookResult(input={"text": c.input["text"].upper()}, note="in capitals"))[kind]
    with guest.runtime(capabilities=[ledger.function], policy="allow", hooks=Hooks(pre=hook)) as session:
        result = driver.run(session, write(guest, "quiet"))
    assert result.value == "wrote QUIET"
    (record,) = result.calls
    assert record.input == {"text": "QUIET"}
    assert record.notes == ["in capitals"]
    assert ("pre_hook", "rewritten") in [step[:2] for step in record.steps]


@pytest.mark.spec("B10.4", "B10.2")
def test_what_a_hook_writes_is_validated_again(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    hooks = Hooks(pre=lambda c: HookResult(input={"text": 5}))
    with guest.runtime(capabilities=[ledger.function], policy="allow", hooks=hooks) as session:
        result = driver.run(session, write(guest))
    assert not result.ok
    assert "as a hook rewrote it" in (result.error or "")
    assert ledger.inputs == []


def _raises(c: HookCall) -> None:
    raise RuntimeError("secret of the hook")


FAILING: dict[str, Any] = {
    "denies": lambda c: Deny("not on a Sunday"),
    "throws": _raises,
    "answers nonsense": lambda c: "yes",
}


@pytest.mark.spec("B10.4")
@pytest.mark.parametrize("how", FAILING)
@pytest.mark.parametrize("kind", [0, 1], ids=["plain", "async"])
def test_a_pre_hook_that_denies_or_fails_stops_the_call(guest: Guest, driver: Driver, how: str, kind: int) -> None:
    ledger = Ledger()
    hooks = Hooks(pre=both(FAILING[how])[kind])
    with guest.runtime(capabilities=[ledger.function], policy="allow", hooks=hooks) as session:
        message = denied(guest, driver, session)
    assert "secret" not in message
    assert how != "denies" or "not on a Sunday" in message
    assert ledger.inputs == []


@pytest.mark.spec("B10.4")
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_a_hook_that_hangs_fails_closed(guest: Guest, driver: Driver, kind: str) -> None:
    ledger = Ledger()
    release = threading.Event()

    def hang(c: HookCall) -> None:
        release.wait(60)

    async def hang_async(c: HookCall) -> None:
        await anyio.sleep(60)

    hooks = Hooks(pre=hang if kind == "plain" else hang_async, timeout=0.05)
    try:
        with guest.runtime(capabilities=[ledger.function], policy="allow", hooks=hooks) as session:
            assert "did not answer within 0.05 s" in denied(guest, driver, session)
    finally:
        release.set()
    assert ledger.inputs == []


@pytest.mark.spec("B10.9")
def test_a_post_hook_rewrites_or_withholds_the_result(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()

    def post(c: HookCall) -> HookResult | None:
        if c.result == "wrote bad":
            raise RuntimeError
        return HookResult(result=f"<{c.result}>", note="seen")

    with guest.runtime(capabilities=[ledger.function], policy="allow", hooks=Hooks(post=post)) as session:
        assert driver.value(session, write(guest)) == "<wrote x>"
        result = driver.run(session, caught(guest, write(guest, "bad")))
    assert "withheld" in result.value[1]
    (record,) = result.calls
    # It was made: whoever redoes what is missing must not make it again.
    assert (record.state, record.executed) == ("completed", True)
    assert ledger.inputs == ["x", "bad"]


@pytest.mark.spec("B10.9")
def test_a_failure_hook_hears_of_failures_and_of_nothing_else(guest: Guest, driver: Driver) -> None:
    heard: list[tuple[str, str]] = []

    def fail(now: bool) -> None:
        if now:
            raise ValueError("broken")

    hooks = Hooks(failure=lambda c: heard.append((c.error_type, c.error_message)))
    with guest.runtime(capabilities=[fail], policy=Policy(allow=["fail"]), hooks=hooks) as session:
        driver.run(session, call(guest, "fail", sync=True, now=False))
        driver.run(session, call(guest, "fail", sync=True, now=True))
    assert heard == [("ValueError", "broken")]


@pytest.mark.spec("B10.5", "B11")
def test_allowing_the_run_allows_nothing_inside(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    with guest.runtime(capabilities=[ledger.function]) as session:
        message = denied(guest, driver, session)
        result = driver.run(session, write(guest))
    assert "no approver" in message
    assert "policy=Policy(allow=['write'])" in message
    assert not result.ok
    assert result.calls[0].state == "denied"
    assert ledger.inputs == []


@pytest.mark.spec("B10.5")
@pytest.mark.parametrize("kind", [0, 1], ids=["plain", "async"])
def test_an_approver_sees_the_call_and_decides(guest: Guest, driver: Driver, kind: int) -> None:
    ledger = Ledger()
    requests: list[ApprovalRequest] = []

    def decide(request: ApprovalRequest) -> Any:
        requests.append(request)
        return request.input["text"] == "good" or Deny("bad text")

    with guest.runtime(
        capabilities=[ledger.function], approve=both(decide)[kind], approve_timeout=30, label="tab 3"
    ) as session:
        assert driver.value(session, write(guest, "good")) == "wrote good"
        assert "bad text" in denied(guest, driver, session, "bad")
    assert ledger.inputs == ["good"]
    first = requests[0]
    assert (first.name, first.input, first.description, first.session) == (
        "write",
        {"text": "good"},
        "Writes a text.",
        "tab 3",
    )
    assert len({request.call_id for request in requests}) == 2


@pytest.mark.spec("B10.5")
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_an_approver_that_does_not_answer_in_time_denies(guest: Guest, driver: Driver, kind: str) -> None:
    ledger = Ledger()
    release = threading.Event()

    def never(request: ApprovalRequest) -> bool:
        return release.wait(60)

    async def never_async(request: ApprovalRequest) -> bool:
        await anyio.sleep(60)
        return True

    try:
        with guest.runtime(
            capabilities=[ledger.function], approve=never if kind == "plain" else never_async, approve_timeout=0.05
        ) as session:
            assert "nobody answered within 0.05 s" in denied(guest, driver, session)
    finally:
        release.set()
    assert ledger.inputs == []


@pytest.mark.spec("B10.5")
def test_an_approver_that_fails_denies(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()

    def broken(request: ApprovalRequest) -> bool:
        raise KeyError("secret")

    with guest.runtime(capabilities=[ledger.function], approve=broken) as session:
        message = denied(guest, driver, session)
    assert "KeyError" in message
    assert "secret" not in message
    assert ledger.inputs == []


@pytest.mark.spec("B10.5")
def test_one_question_at_a_time_and_remembered_answers_are_not_asked_again(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    asking = most = 0
    asked: list[str] = []

    async def approve(request: ApprovalRequest) -> Allow:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        await anyio.sleep(0.001)
        asking -= 1
        asked.append(request.input["text"])
        return Allow(remember=True)

    code = guest.pick(
        python="import asyncio\nawait asyncio.gather(*(tools.write.start(text=t) for t in 'aabab'))",
        javascript="await Promise.all([...'aabab'].map(text => tools.write({ text })))",
    )
    with guest.runtime(capabilities=[ledger.function], approve=approve) as session:
        assert driver.value(session, code) == [f"wrote {t}" for t in "aabab"]
        driver.reset(session)
        driver.run(session, write(guest, "a"))
        assert sorted(asked) == ["a", "b"]
        session.new_boundary()
        driver.run(session, write(guest, "a"))
    assert sorted(asked) == ["a", "a", "b"]
    assert most == 1


@pytest.mark.spec("B10.4", "B10.5")
def test_what_denies_wins_over_what_asks_and_that_over_what_allows(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    decisions: dict[str, Allow | Ask | None] = {"allow": Allow(), "ask": Ask(), "none": None}
    policy = Policy([Rule("write", "deny", {"text": "*deny*"}), Rule("write", "allow", {"text": "*free*"})])
    asked: list[str] = []

    def yes(request: ApprovalRequest) -> bool:
        asked.append(request.input["text"])
        return True

    with guest.runtime(
        capabilities=[ledger.function],
        policy=policy,
        hooks=Hooks(pre=lambda c: HookResult(decision=decisions[c.input["text"].split()[0]])),
        approve=yes,
    ) as session:
        assert "policy denies" in denied(guest, driver, session, "allow deny")
        for text in ("allow it", "ask free", "none free", "none else"):
            assert driver.run(session, write(guest, text)).ok
    assert asked == ["ask free", "none else"]


def test_arguments_decide_by_pattern_and_predicate(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    policy = Policy([Rule("w*", "allow", {"text": lambda t: len(t) < 3})], default="deny")
    with guest.runtime(capabilities=[ledger.function], policy=policy) as session:
        assert driver.run(session, write(guest, "ok")).ok
        denied(guest, driver, session, "too long")


def test_a_predicate_that_raises_refuses_the_call(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    policy = Policy([Rule("write", "allow", lambda a: a["nothing"])])
    with guest.runtime(capabilities=[ledger.function], policy=policy) as session:
        result = driver.run(session, write(guest))
    assert not result.ok
    assert "KeyError" in (result.error or "")
    assert ledger.inputs == []


@pytest.mark.spec("B10.4")
def test_an_inline_capability_behind_a_hook_is_made_once(guest: Guest, driver: Driver) -> None:
    ledger = Ledger(inline=True)
    with guest.runtime(
        capabilities=[ledger.function], policy="allow", hooks=Hooks(pre=lambda c: None), limits=Limits(calls=200)
    ) as session:
        code = guest.pick(
            python="for i in range(100): tools.write(text=str(i))",
            javascript="for (let i = 0; i < 100; i++) await tools.write({ text: String(i) })",
        )
        assert driver.run(session, code).ok
    assert ledger.inputs == [str(i) for i in range(100)]


@pytest.mark.spec("B23", "B10.9")
def test_a_call_whose_post_hook_is_cut_off_by_the_cells_end_was_made(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()

    async def slow(c: HookCall) -> None:
        await anyio.sleep(60)

    with guest.runtime(
        capabilities=[ledger.function], policy="allow", hooks=Hooks(post=slow), limits=Limits(wall_ms=200)
    ) as session:
        (record,) = driver.run(session, write(guest)).calls
    assert ledger.inputs == ["x"]
    assert (record.state, record.executed) == ("completed", True)


@pytest.mark.spec("B10.5")
def test_a_predicate_is_asked_once_for_each_call(guest: Guest, driver: Driver) -> None:
    ledger = Ledger()
    asked: list[str] = []

    def predicate(arguments: Any) -> bool:
        asked.append(arguments["text"])
        return False

    policy = Policy([Rule("write", "allow", predicate)])
    with guest.runtime(capabilities=[ledger.function], policy=policy, approve=lambda request: True) as session:
        driver.run(session, write(guest))
    assert asked == ["x"]
