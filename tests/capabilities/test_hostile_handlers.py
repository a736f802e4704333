"""Handlers of registered tools that do what no honest one does: each call ends, at once and with what happened."""

from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import Allow, ApprovalRequest, Limits, Policy, PythonRuntime, capability
from wasmhost.session.session import Session

NEVER: dict[str, tuple[str, str]] = {
    "a future that nobody ends": (
        "import asyncio; await asyncio.get_running_loop().create_future()",
        "await new Promise(() => {})",
    ),
    "a result that is too large": ("return 'x' * 60_000_000", "return 'x'.repeat(60e6)"),
    "an error that is too large": (
        "class E(Exception):\n        def __str__(self): return 'x' * 60_000_000\n    raise E",
        "throw new Error('x'.repeat(60e6))",
    ),
}
ODD: dict[str, tuple[str, str]] = {
    "cancelled": ("import asyncio; raise asyncio.CancelledError('odd')", "throw undefined"),
    "no exception": ("class X(BaseException): pass\n    raise X('odd')", "throw Symbol('odd')"),
    "generator exit": ("raise GeneratorExit", "throw null"),
    "a group": ("raise BaseExceptionGroup('odd', [GeneratorExit()])", "throw { get message() { throw 1 } }"),
    "its text fails": (
        "class X(Exception):\n        def __str__(self): raise ValueError\n    raise X",
        "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
    ),
}


def register(guest: Guest, body: str, name: str = "t") -> str:
    if guest.name == "python":
        return f"async def handler(input):\n    {body}\nregisterTool({name!r}, 'd', {{}}, handler)"
    return f"registerTool('{name}', 'd', {{ type: 'object' }}, async (input) => {{ {body} }})"


def runtime(guest: Guest, *capabilities: Any, **options: Any) -> Session:
    # A wall clock of the default length: what waits for it is a failure of the test.
    return guest.runtime(
        capabilities=capabilities,
        **{"policy": "allow", "approve": lambda r: True, "limits": Limits(script_ms=20_000), **options},
    )


def called(driver: Driver, session: Session, guest: Guest) -> tuple[str, str]:
    result = driver.run(session, caught(guest, call(guest, "eval_registered__t")))
    assert result.stop is None
    return ("", result.error_message or "") if not result.ok else tuple(result.value)


@pytest.mark.spec("B17.4")
@pytest.mark.parametrize("how", NEVER)
def test_a_handler_that_never_tells_its_end_does_not_hold_the_cell(guest: Guest, driver: Driver, how: str) -> None:
    python, javascript = NEVER[how]
    with runtime(guest) as session:
        driver.value(session, register(guest, guest.pick(python=python, javascript=javascript)))
        _, message = called(driver, session, guest)
        assert "never" in message or "xxx" in message or "too large" in message
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("B17.4")
@pytest.mark.parametrize("how", ODD)
def test_whatever_a_handler_throws_is_an_error_of_the_call(guest: Guest, driver: Driver, how: str) -> None:
    python, javascript = ODD[how]
    with runtime(guest) as session:
        driver.value(session, register(guest, guest.pick(python=python, javascript=javascript)))
        _, message = called(driver, session, guest)
        assert message
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("B17.3")
@pytest.mark.parametrize("how", ["itself", "a tool that must be alone", "with one place in all"])
def test_a_handler_that_blocks_on_what_waits_for_it_is_refused(driver: Driver, how: str) -> None:
    """In Python a call may hold the guest: nothing in it can go on then, least of all the handler."""

    @capability(exclusive=how == "a tool that must be alone")
    def alone() -> int:
        return 1

    tool = "eval_registered__t.call" if how == "itself" else "alone"
    places = 1 if how == "with one place in all" else 4
    with runtime(PYTHON, alone, limits=Limits(parallel_calls=places, script_ms=20_000)) as session:
        driver.value(session, register(PYTHON, f"return tools.{tool}()"))
        result = driver.run(session, "await tools.eval_registered__t()")
        assert result.stop is None
        assert "waits for a handler of this guest" in (result.error or "")
        assert [record.state for record in result.calls] == ["failed", "never-started"]
        assert not any("nothing awaited" in note for note in result.notes)
        assert driver.value(session, "1 + 1") == 2


PYTHON = Guest("python", PythonRuntime)


@pytest.mark.spec("B17.1")
def test_a_handler_may_unregister_or_replace_itself_while_it_runs(guest: Guest, driver: Driver) -> None:
    with runtime(guest) as session:
        again = guest.pick(
            python="registerTool('t', 'd', {}, lambda input: 2); return 1",
            javascript="registerTool('t', 'd', { type: 'object' }, () => 2); return 1",
        )
        driver.value(session, register(guest, again))
        expression = call(guest, "eval_registered__t")
        assert [driver.value(session, expression) for _ in range(2)] == [1, 2]
        driver.value(session, register(guest, "unregisterTool('t'); return 3"))
        assert driver.value(session, expression) == 3
        assert session.registered_tools == []


@pytest.mark.spec("B17.3")
def test_an_answer_that_is_remembered_is_for_the_tool_as_it_was(guest: Guest, driver: Driver) -> None:
    asked: list[str] = []

    def approve(request: ApprovalRequest) -> Allow:
        asked.append(request.name)
        return Allow(remember=True)

    with runtime(guest, approve=approve) as session:
        expression = call(guest, "eval_registered__t")
        driver.value(session, register(guest, "return 1"))
        driver.value(session, expression)
        driver.value(session, expression)
        assert len(asked) == 1
        # Another handler under the same name is another tool.
        driver.value(session, register(guest, "return 2"))
        assert driver.value(session, expression) == 2
        assert len(asked) == 2


def test_names_of_tools_that_guests_make_up_do_not_fill_a_policy() -> None:
    policy = Policy()
    for number in range(20_000):
        policy.decide(f"eval_registered__{number}", False, {})
    assert len(policy._plans) <= 10_000


def test_a_call_that_is_cancelled_before_its_handler_began_runs_no_handler(driver: Driver) -> None:
    code = (
        "import asyncio\nx = asyncio.create_task(tools.eval_registered__t())\nawait asyncio.sleep(0)\nx.cancel()\n"
        "await asyncio.sleep(0)\nawait asyncio.sleep(0)\nran"
    )
    with runtime(PYTHON) as session:
        driver.value(session, "ran = []\n" + register(PYTHON, "ran.append(1)"))
        assert driver.value(session, code) == []


def test_names_of_calls_in_notes_hold_no_control_characters() -> None:
    from tests.capabilities.test_hostile_requests import calls
    from wasmhost.capabilities.cell import DROPPED

    made = calls()
    made.on_call(DROPPED, b'["\\u001b[2Jgone"]')
    (note,) = made.notes()
    assert "\x1b" not in note
    assert "\\x1b[2Jgone" in note
    made.instance.close()


@pytest.mark.spec("D1.6")
def test_a_request_of_millions_of_values_is_refused_unread(guest: Guest, driver: Driver) -> None:
    @capability(inline=True)
    def take(data: Any) -> int:
        return len(data)

    large = guest.pick(
        python="tools.take(data=[0] * 2_000_000)",
        javascript="(await tools.take({ data: new Array(2_000_000).fill(0) }))",
    )
    text = guest.pick(
        python="tools.take(data=',' * 2_000_000)", javascript="(await tools.take({ data: ','.repeat(2e6) }))"
    )
    with runtime(guest, take) as session:
        kind, message = driver.value(session, caught(guest, large))
        assert kind == "ValueError"
        assert "more than 1000000 values" in message
        assert driver.value(session, text) == 2_000_000
