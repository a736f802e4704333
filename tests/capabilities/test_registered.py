"""Tools that guest code registers (row B17), and going back to an earlier state with calls in it (row D6)."""

from typing import Any

import anyio
import pytest

from tests.support.drivers import Async, Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import Allow, ApprovalRequest, Limits, RuntimeFailure, RuntimeSuccess
from wasmhost.session.session import Session

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def register(guest: Guest, name: str, body: str, schema: Any = SCHEMA) -> str:
    """A cell that registers a tool whose handler's body is an expression of ``input``."""
    import json

    if guest.name == "python":
        return (
            f"async def handler(input):\n    return {body}\n"
            f"registerTool({name!r}, 'Does it.', {schema!r}, handler, {{'displayName': 'It'}})"
        )
    return (
        f"registerTool({json.dumps(name)}, 'Does it.', {json.dumps(schema)}, async (input) => ({body}),"
        " { displayName: 'It' })"
    )


def call_tool(
    driver: Driver, session: Session, name: str, arguments: dict[str, Any]
) -> RuntimeSuccess | RuntimeFailure:
    if isinstance(driver, Async):
        return anyio.run(lambda: session.call_tool(name, arguments), backend=driver.backend)
    return session.call_tool_blocking(name, arguments)


def field(guest: Guest, name: str) -> str:
    return f"input['{name}']"


@pytest.mark.spec("B17.1", "B17.5", "B16")
def test_a_registered_tool_is_called_by_the_host_and_by_later_cells(guest: Guest, driver: Driver) -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> Allow:
        asked.append(request)
        return Allow()

    with guest.runtime(capabilities=[], policy="allow", approve=approve) as session:
        result = driver.run(session, register(guest, "double-it", f"{{'twice': {field(guest, 'n')} * 2}}"))
        assert result.ok, result.error
        (definition,) = result.registered_tools
        assert definition == {
            "name": "double-it",
            "publicName": "eval_registered__double-it",
            "description": "Does it.",
            "schema": SCHEMA,
            "displayName": "It",
        }
        assert session.registered_tools == [definition]
        assert call_tool(driver, session, "double-it", {"n": 4}).value == {"twice": 8}
        assert asked == []
        assert driver.value(session, call(guest, "eval_registered__double_it", n=21)) == {"twice": 42}
    (request,) = asked
    assert request.name == "eval_registered__double-it"
    assert request.description == "Execute registered tool 'double-it'"


@pytest.mark.spec("B17.3")
def test_a_registered_tool_always_asks(guest: Guest, driver: Driver) -> None:
    with guest.runtime(policy="allow") as session:
        driver.run(session, register(guest, "t", "1"))
        kind, message = driver.value(session, caught(guest, call(guest, "eval_registered__t", n=1)))
    assert kind == "PermissionError"
    assert "approval" in message


@pytest.mark.spec("B17.2")
@pytest.mark.parametrize(
    ("name", "schema", "said"),
    [
        ("a b", SCHEMA, "letters, digits"),
        ("", SCHEMA, "letters, digits"),
        ("x" * 112, SCHEMA, "letters, digits"),
        ("tools", SCHEMA, "taken"),
        ("t", {"type": "string"}, "object"),
        ("t", {"type": "object", "properties": {"a": {"$ref": "http://x"}}}, "out of the document"),
    ],
)
def test_a_tool_that_cannot_be_registered_is_refused_with_why(
    guest: Guest, driver: Driver, name: str, schema: Any, said: str
) -> None:
    with guest.runtime(policy="allow") as session:
        result = driver.run(session, register(guest, name, "1", schema))
        assert not result.ok
        assert said in (result.error or "")
        assert session.registered_tools == []


@pytest.mark.spec("B17.1")
def test_tools_are_listed_got_replaced_and_unregistered(guest: Guest, driver: Driver) -> None:
    with guest.runtime(policy="allow") as session:
        driver.run(session, register(guest, "t", "1"))
        names = guest.pick(python="[t['name'] for t in listTools()]", javascript="listTools().map(t => t.name)")
        assert driver.value(session, names) == ["t"]
        one = guest.pick(python="getTool('t')['description']", javascript="getTool('t').description")
        assert driver.value(session, one) == "Does it."
        driver.run(session, register(guest, "t", "2"))
        assert call_tool(driver, session, "t", {"n": 1}).value == 2
        driver.run(session, "unregisterTool('t')")
        assert driver.value(session, names) == []
        assert session.registered_tools == []
        with pytest.raises(LookupError, match="there is no registered tool 't'"):
            call_tool(driver, session, "t", {"n": 1})


@pytest.mark.spec("B17.4")
def test_what_a_handler_throws_is_a_readable_error(guest: Guest, driver: Driver) -> None:
    body = guest.pick(python="1 // 0", javascript="(() => { throw new RangeError('too far') })()")
    with guest.runtime(policy="allow", approve=lambda r: True) as session:
        driver.run(session, register(guest, "t", body))
        result = call_tool(driver, session, "t", {"n": 1})
        assert not result.ok
        assert result.error_type == guest.pick(python="ZeroDivisionError", javascript="RangeError")
        kind, message = driver.value(session, caught(guest, call(guest, "eval_registered__t", n=1)))
    assert guest.pick(python="ZeroDivisionError", javascript="RangeError: too far") in f"{kind}: {message}"


@pytest.mark.spec("B17.2")
def test_the_input_of_a_registered_tool_is_checked(guest: Guest, driver: Driver) -> None:
    with guest.runtime(policy="allow", approve=lambda r: True) as session:
        driver.run(session, register(guest, "t", "1"))
        with pytest.raises(ValueError, match="'n'"):
            call_tool(driver, session, "t", {"n": "x"})
        kind, message = driver.value(session, caught(guest, call(guest, "eval_registered__t", n="x")))
    assert kind == "TypeError"
    assert "'n'" in message


@pytest.mark.spec("B17.5")
def test_a_handler_may_call_tools_itself(guest: Guest, driver: Driver) -> None:
    async def add(a: int, b: int) -> int:
        return a + b

    from wasmhost import Policy

    body = guest.pick(python="await tools.add(a=input['n'], b=1)", javascript="await tools.add({ a: input.n, b: 1 })")
    with guest.runtime(capabilities=[add], policy=Policy(allow=["add"])) as session:
        driver.run(session, register(guest, "t", body))
        result = call_tool(driver, session, "t", {"n": 4})
    assert result.value == 5
    assert [record.name for record in result.calls] == ["add"]


@pytest.mark.spec("B17.3")
def test_a_handler_called_by_a_cell_may_call_tools_but_no_other_handler(guest: Guest, driver: Driver) -> None:
    async def add(a: int, b: int) -> int:
        await anyio.sleep(0.001)
        return a + b

    from wasmhost import Policy

    def body(tool: str, **arguments: str) -> str:
        given = ", ".join(f"{name}{'=' if guest.name == 'python' else ': '}{v}" for name, v in arguments.items())
        return f"await tools.{tool}({given})" if guest.name == "python" else f"await tools.{tool}({{ {given} }})"

    with guest.runtime(capabilities=[add], policy=Policy(allow=["add"]), approve=lambda r: True) as session:
        driver.run(session, register(guest, "inner", body("add", a=field(guest, "n"), b="1")))
        driver.run(session, register(guest, "outer", body("eval_registered__inner", n=field(guest, "n"))))
        assert driver.value(session, call(guest, "eval_registered__inner", n=4)) == 5
        result = driver.run(session, call(guest, "eval_registered__outer", n=4))
        assert not result.ok
        assert "eval_registered__inner" in (result.error or "")
        assert {record.state for record in result.calls} == {"failed", "never-started"}


def test_reset_drops_registered_tools(guest: Guest, driver: Driver) -> None:
    with guest.runtime(policy="allow") as session:
        driver.run(session, register(guest, "t", "1"))
        driver.reset(session)
        assert session.registered_tools == []


@pytest.mark.spec("D6")
def test_going_back_makes_no_call_again_and_keeps_what_calls_gave(guest: Guest, driver: Driver) -> None:
    made: list[int] = []

    def next_number() -> int:
        made.append(len(made))
        return made[-1]

    async def blob(n: int) -> bytes:
        await anyio.sleep(0)
        made.append(len(made))
        return bytes([n])

    fatal = guest.spin_that_cannot_be_asked
    with guest.runtime(capabilities=[next_number, blob], policy="allow", limits=Limits(script_ms=300)) as session:
        a = driver.run(session, guest.assign("a", call(guest, "next_number", sync=True)))
        assert a.ok, a.error
        driver.run(session, guest.assign("b", call(guest, "blob", n=7)))
        driver.run(session, register(guest, "kept", "1"))
        before = list(made)
        result = driver.run(session, f"{register(guest, 'gone', '1')}\n{fatal}")
        assert not result.ok
        assert result.state == "restored"
        assert made == before
        assert driver.value(session, "[a, b]") == [0, b"\x07"]
        assert [tool["name"] for tool in session.registered_tools] == ["kept"]
        assert call_tool(driver, session, "kept", {"n": 1}).value == 1
        assert driver.value(session, call(guest, "next_number", sync=True)) == 2


@pytest.mark.spec("D6")
def test_going_back_to_before_the_first_cell_still_has_tools(guest: Guest, driver: Driver) -> None:
    def one() -> int:
        return 1

    with guest.runtime(capabilities=[one], policy="allow", limits=Limits(script_ms=200)) as session:
        result = driver.run(session, guest.spin_that_cannot_be_asked)
        assert result.state == "restored"
        assert driver.value(session, call(guest, "one", sync=True)) == 1
